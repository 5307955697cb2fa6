package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.apiserver.Golden;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.Kind;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows as kubectl prints them with {@code -o wide}. */
final class TablesGoldenTest {
    private static final Instant NOW = Instant.parse("2026-12-01T12:00:00Z");

    static List<String> inputs() {
        return Golden.inputs("tables");
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void rows(String name) {
        ObjectNode list = KindRun.yaml(Golden.read("tables/" + name + ".in.yaml"));
        List<List<String>> rows = new ArrayList<>();
        KindRun run = KindRun.singleStack();
        for (JsonNode item : list.path("items")) {
            ObjectNode object = (ObjectNode) item;
            Kind kind = run.kind(object);
            if (rows.isEmpty()) {
                rows.add(kind.columns().stream()
                        .map(column -> column.name().toUpperCase(Locale.ROOT))
                        .toList());
            }
            rows.add(kind.columns().stream().map(column -> cell(column, object)).toList());
        }
        Golden.check("tables/" + name + ".out.txt", print(rows));
    }

    private static String cell(Column column, ObjectNode object) {
        return column.cell().of(object, NOW).asText();
    }

    private static String print(List<List<String>> rows) {
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                int column = i;
                int width = rows.stream()
                        .mapToInt(r -> r.get(column).length())
                        .max()
                        .orElse(0);
                line.append(row.get(i)).append(" ".repeat(width - row.get(i).length() + 3));
            }
            out.append(line.toString().stripTrailing()).append('\n');
        }
        return out.toString();
    }
}
