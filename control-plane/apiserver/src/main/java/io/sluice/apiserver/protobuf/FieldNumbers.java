package io.sluice.apiserver.protobuf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Which number each field of each type has on the wire. The table has a line for each type, and below it, indented, one for each field:
 * number, name, then {@code !} where a zero is more than an absent value, or the type whose fields JSON shows as the parent's own.
 */
final class FieldNumbers {
    private final Map<String, Map<Integer, Field>> types = new HashMap<>();

    /** @param inlined type whose fields appear in the parent; empty for an ordinary field */
    record Field(String name, boolean keepsZero, String inlined) {}

    private static final class Holder {
        static final FieldNumbers SHARED = load();
    }

    static FieldNumbers shared() {
        return Holder.SHARED;
    }

    private static FieldNumbers load() {
        try (InputStream in = FieldNumbers.class.getResourceAsStream("field-numbers.table")) {
            if (in == null) {
                throw new IllegalStateException("field-numbers.table is missing from the program");
            }
            return new FieldNumbers(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("field-numbers.table cannot be read", e);
        }
    }

    FieldNumbers(String table) {
        Map<Integer, Field> current = new HashMap<>();
        for (String line : table.split("\n")) {
            if (!line.startsWith(" ")) {
                current = new HashMap<>();
                types.put(line.strip(), current);
                continue;
            }
            String[] words = line.strip().split(" ");
            boolean keeps = words.length > 2 && words[2].equals("!");
            String inlined = words.length > 2 && !keeps ? words[2] : "";
            current.put(Integer.parseInt(words[0]), new Field(words[1], keeps, inlined));
        }
    }

    /** Fields by number; empty for a type that is not in the table. */
    Map<Integer, Field> of(String type) {
        return types.getOrDefault(type, Map.of());
    }
}
