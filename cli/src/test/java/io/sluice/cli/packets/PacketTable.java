package io.sluice.cli.packets;

import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads {@code packet-table.md}. Immutable. */
record PacketTable(List<Section> sections) {
    private static final String FILE = "packet-table.md";
    private static final int COLUMNS = 9;
    private static final Map<Source, Integer> SOURCE_COLUMNS =
            Map.of(Source.POD, 3, Source.NODE, 4, Source.OUTSIDE, 5, Source.HAIRPIN, 6);
    private static final Pattern DIFFERENCE = Pattern.compile(
            "(?<mode>userspace|nftables rules|nftables|iptables|ipvs)(?<words>( \\w+)*?)( to (?<to>.+))?: (?<cell>.+)");

    /** Rows that hold under the same settings of the proxy. */
    record Section(Settings settings, List<Row> rows) {}

    /** Where one mode differs from the rest of the row. */
    private record Difference(String mode, List<String> words, List<Knock> to, Expected expected) {
        boolean concerns(Question question, boolean rulesAlone) {
            boolean same = mode.equals(question.mode().text)
                    || rulesAlone && mode.equals(question.mode().text + " rules");
            return same
                    && (to.isEmpty() || to.contains(question.knock()))
                    && words.stream().allMatch(question::is);
        }
    }

    /** What is asked of the table. */
    record Question(Mode mode, Source source, Knock knock, IpFamily family, Protocol protocol) {
        boolean is(String word) {
            return Stream.of(source.text(), family.text(), protocol.name()).anyMatch(word::equals);
        }
    }

    /** One line; {@code line} names it in failures. */
    record Row(
            int line,
            Situation situation,
            List<Knock> knocks,
            Map<Source, Expected> cells,
            List<Difference> differences) {

        /** What the row says of this packet; empty where it says nothing. @param rulesAlone without the relay beside the rules */
        Optional<Expected> expected(Question question, boolean rulesAlone) {
            return Optional.ofNullable(cells.get(question.source()))
                    .map(cell -> differences.stream()
                            .filter(difference -> difference.concerns(question, rulesAlone))
                            .map(Difference::expected)
                            .findFirst()
                            .orElse(cell));
        }
    }

    static PacketTable load() throws IOException {
        try (InputStream in = PacketTable.class.getResourceAsStream(FILE)) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        }
    }

    /** All Services of the table. */
    List<Situation> situations() {
        return sections.stream()
                .flatMap(section -> section.rows().stream())
                .map(Row::situation)
                .distinct()
                .toList();
    }

    private static PacketTable parse(List<String> lines) {
        List<Section> sections = new ArrayList<>();
        Map<String, Situation> situations = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("## ")) {
                sections.add(new Section(Settings.of(line.substring(3)), new ArrayList<>()));
            } else if (line.startsWith("| ") && !line.startsWith("| Service")) {
                sections.getLast().rows().add(row(i + 1, line, situations));
            }
        }
        return new PacketTable(List.copyOf(sections));
    }

    private static Row row(int number, String line, Map<String, Situation> situations) {
        List<String> cells = Stream.of(line.substring(1).split("\\|", -1))
                .map(String::strip)
                .limit(COLUMNS)
                .toList();
        if (cells.size() != COLUMNS) {
            throw new IllegalArgumentException(
                    FILE + ':' + number + ": not " + COLUMNS + " columns");
        }
        try {
            Situation situation = situations.computeIfAbsent(
                    cells.get(0) + '|' + cells.get(1),
                    key -> new Situation(situations.size() + 1, cells.get(0), cells.get(1)));
            Map<Source, Expected> expected = new EnumMap<>(Source.class);
            SOURCE_COLUMNS.forEach((source, column) -> {
                if (!cells.get(column).equals("-")) {
                    expected.put(source, Expected.parse(cells.get(column)));
                }
            });
            return new Row(
                    number,
                    situation,
                    Knock.parse(cells.get(2)),
                    expected,
                    differences(cells.get(7)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(FILE + ':' + number + ": " + e.getMessage(), e);
        }
    }

    private static List<Difference> differences(String cell) {
        List<Difference> out = new ArrayList<>();
        for (String text : cell.isEmpty() ? new String[0] : cell.split(";")) {
            Matcher matcher = DIFFERENCE.matcher(text.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException("no difference: " + text);
            }
            String words = matcher.group("words").strip();
            out.add(new Difference(
                    matcher.group("mode"),
                    words.isEmpty() ? List.of() : List.of(words.split(" ")),
                    matcher.group("to") == null ? List.of() : Knock.parse(matcher.group("to")),
                    Expected.parse(matcher.group("cell"))));
        }
        return out;
    }
}
