package io.sluice.cli.packets;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.cli.packets.PacketTable.Question;
import io.sluice.cli.packets.PacketTable.Row;
import io.sluice.cli.packets.PacketTable.Section;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** Sends all packets of one section, many at a time, and says where what came of them is not what the table says. */
final class TableRun {
    private static final int AT_ONCE = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Answers take milliseconds here; silence must outlast the first repeat of a SYN after one second. */
    private static final Duration SILENCE = Duration.ofMillis(1_600);

    private static final int FEWEST = 2;
    private static final int STICKY = 6;
    /** How often a set of two or three is asked before one that never answers counts as missing. */
    private static final int MOST = 100;

    private static final List<Protocol> PROTOCOLS = List.of(Protocol.TCP, Protocol.UDP);

    private final Topology topology;
    private final Mode mode;
    private final Semaphore slots = new Semaphore(AT_ONCE);

    /** @param wrong a line for each packet that fared otherwise; @param asked how many cells there were */
    record Outcome(List<String> wrong, int asked) {}

    TableRun(Topology topology, Mode mode) {
        this.topology = topology;
        this.mode = mode;
    }

    Outcome run(Section section) throws Exception {
        Map<String, Future<String>> answers = new HashMap<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Row row : section.rows()) {
                for (Knock knock : row.knocks()) {
                    for (Source source : Source.values()) {
                        for (IpFamily family : IpFamily.values()) {
                            for (Protocol protocol : PROTOCOLS) {
                                Question question =
                                        new Question(mode, source, knock, family, protocol);
                                row.expected(question, false)
                                        .ifPresent(expected -> answers.put(
                                                describe(row, question),
                                                clients.submit(
                                                        () -> check(row, question, expected))));
                            }
                        }
                    }
                }
            }
        }
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, Future<String>> answer : answers.entrySet()) {
            if (!answer.getValue().get().isEmpty()) {
                wrong.add(answer.getKey() + ": " + answer.getValue().get());
            }
        }
        return new Outcome(wrong.stream().sorted().toList(), answers.size());
    }

    private static String describe(Row row, Question question) {
        return "line %d, %s with endpoints %s, %s %s from %s to %s"
                .formatted(
                        row.line(),
                        row.situation().shape(),
                        row.situation().endpoints(),
                        question.family(),
                        question.protocol(),
                        question.source().text(),
                        question.knock().text);
    }

    /** @return what is wrong; empty where nothing is */
    private String check(Row row, Question question, Expected expected)
            throws InterruptedException {
        Probe probe = probe(row.situation(), question);
        slots.acquire();
        try {
            return switch (expected) {
                case Expected.Refused refused ->
                    only(question, probe.ask(PATIENCE), new Seen.Refusal(), expected);
                case Expected.Silent silent ->
                    only(question, probe.ask(SILENCE), new Seen.Silence(), expected);
                case Expected.Untouched untouched ->
                    untouched(question, probe.ask(PATIENCE), expected);
                case Expected.Served served -> served(row, question, probe, served);
            };
        } finally {
            slots.release();
        }
    }

    private Probe probe(Situation situation, Question question) {
        NetSpace from = switch (question.source()) {
            case POD -> topology.space("c1");
            case NODE -> topology.nodeA();
            case OUTSIDE -> topology.outside();
            case HAIRPIN -> topology.space(situation.hairpinPod().orElseThrow());
        };
        return new Probe(
                from,
                situation.address(question.knock(), question.family()),
                situation.port(question.knock()),
                question.protocol());
    }

    private static String only(Question question, Seen seen, Seen wanted, Expected expected) {
        boolean told = seen instanceof Seen.Forbidden && question.source() == Source.NODE;
        return told || seen.equals(wanted) ? "" : seen + ", expected " + expected;
    }

    /** What no rule holds leaves node A by its default route; what is for the node itself finds nobody listening. */
    private static String untouched(Question question, Seen seen, Expected expected) {
        boolean right = question.knock().onTheNode()
                ? seen instanceof Seen.Refusal
                : seen instanceof Seen.Answer answer && answer.server().equals("world");
        return right ? "" : seen + ", expected " + expected;
    }

    private String served(Row row, Question question, Probe probe, Expected.Served expected) {
        Set<String> met = new HashSet<>();
        int asked = 0;
        do {
            Seen seen = probe.ask(PATIENCE);
            asked++;
            if (!(seen instanceof Seen.Answer answer)) {
                return seen + " at attempt " + asked + ", expected " + expected;
            }
            if (!expected.receivers().contains(answer.server())) {
                return "served by " + answer.server() + ", expected " + expected;
            }
            if (!rightSource(row, question, answer, expected)) {
                return answer + ": not the right address of the client, expected " + expected;
            }
            met.add(answer.server());
        } while (asked < (expected.sticky() ? STICKY : FEWEST)
                || !expected.sticky() && met.size() < expected.receivers().size() && asked < MOST);
        int wanted = expected.sticky() ? 1 : expected.receivers().size();
        return met.size() == wanted
                ? ""
                : "served by " + new TreeSet<>(met) + " in " + asked + " attempts, expected "
                        + expected;
    }

    private boolean rightSource(
            Row row, Question question, Seen.Answer answer, Expected.Served expected) {
        IpFamily family = question.family();
        if (mode == Mode.USERSPACE || question.source() == Source.NODE) {
            return isNodeAddress(answer.client(), family);
        }
        boolean masqueraded = expected.masqueraded();
        if (question.source() == Source.HAIRPIN) {
            String self = row.situation().hairpinPod().orElseThrow();
            masqueraded = LabPlan.podOf(answer.server()).equals(self)
                    ? expected.masqueraded()
                    : podIsMasqueraded(row, question);
        }
        return masqueraded
                ? isNodeAddress(answer.client(), family)
                : answer.client().equals(Packets.of(row.situation(), question).from());
    }

    private boolean podIsMasqueraded(Row row, Question question) {
        Question asPod = new Question(
                mode, Source.POD, question.knock(), question.family(), question.protocol());
        Optional<Expected> expected = row.expected(asPod, false);
        return expected.isPresent()
                && expected.get() instanceof Expected.Served served
                && served.masqueraded();
    }

    private static boolean isNodeAddress(IpAddress address, IpFamily family) {
        return List.of(
                        LabPlan.nodeA(family),
                        LabPlan.nodeAOutside(family),
                        LabPlan.nodeAWorld(family))
                .contains(address);
    }
}
