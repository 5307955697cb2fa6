package io.sluice.apiserver.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import io.sluice.api.object.Json;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Field;
import io.sluice.apiserver.schema.Schema.ListType;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.ScalarType;
import io.sluice.apiserver.schema.Schema.Struct;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One table, parsed to lines; its types are built as they are asked for. Guarded by its library. */
final class SchemaTable {
    private static final Map<String, ScalarType> SCALARS = Map.of(
            "string", ScalarType.STRING,
            "bool", ScalarType.BOOLEAN,
            "int32", ScalarType.INT32,
            "int64", ScalarType.INT64,
            "double", ScalarType.DOUBLE,
            "quantity", ScalarType.QUANTITY,
            "intOrString", ScalarType.INT_OR_STRING,
            "time", ScalarType.TIME,
            "microTime", ScalarType.MICRO_TIME,
            "bytes", ScalarType.BYTES);

    private final String name;
    private final SchemaLibrary library;
    private final Map<String, List<String[]>> lines = new HashMap<>();
    private final Map<String, Struct> built = new HashMap<>();
    private String prefix = "";

    SchemaTable(String name, String text, SchemaLibrary library) {
        this.name = name;
        this.library = library;
        List<String[]> current = new ArrayList<>();
        for (String line : text.split("\n")) {
            if (line.isBlank()) {
                continue;
            }
            String[] words = line.strip().split(" +");
            if (words[0].equals("package")) {
                prefix = words[1];
            } else if (line.startsWith(" ")) {
                current.add(words);
            } else {
                current = new ArrayList<>();
                current.add(words);
                lines.put(words[0], current);
            }
        }
    }

    Struct struct(String type) {
        Struct known = built.get(type);
        if (known != null) {
            return known;
        }
        List<String[]> rows = lines.get(type);
        if (rows == null) {
            throw new IllegalArgumentException("schema table " + name + " has no type " + type);
        }
        Map<String, Field> fields = new LinkedHashMap<>();
        boolean atomic = rows.getFirst().length > 1 && rows.getFirst()[1].equals("atomic");
        Struct struct =
                new Struct(prefix + '.' + type, Collections.unmodifiableMap(fields), atomic);
        // Known before its fields are read, so that a type may contain itself.
        built.put(type, struct);
        for (String[] row : rows.subList(1, rows.size())) {
            fields.put(row[0], field(type, row));
        }
        return struct;
    }

    private Field field(String type, String[] row) {
        Flags flags = Flags.of(row);
        Schema schema;
        try {
            schema = schema(row[1], flags);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "schema table " + name + ", " + type + '.' + row[0] + ": " + e.getMessage(), e);
        }
        Optional<JsonNode> value = flags.defaultText.map(text -> defaultValue(schema, text));
        return new Field(
                schema,
                flags.required,
                value,
                flags.zeroIsAbsent,
                String.join(",", flags.strategy));
    }

    private Schema schema(String type, Flags flags) {
        if (type.startsWith("[]")) {
            Schema items = schema(type.substring(2), Flags.NONE);
            return new Array(items, flags.listType(), flags.mergeKey, flags.mapKeys);
        }
        if (type.startsWith("map:")) {
            return new Dictionary(schema(type.substring(4), Flags.NONE), flags.atomic);
        }
        if (type.equals("any")) {
            return new Schema.Any();
        }
        ScalarType scalar = SCALARS.get(type);
        if (scalar != null) {
            return new Scalar(scalar, flags.enumeration);
        }
        int dot = type.indexOf('.');
        return dot < 0
                ? struct(type)
                : library.table(type.substring(0, dot) + "-v1").struct(type.substring(dot + 1));
    }

    private static JsonNode defaultValue(Schema schema, String text) {
        boolean quoted = schema instanceof Scalar scalar
                && (scalar.type() == ScalarType.STRING || scalar.type() == ScalarType.QUANTITY);
        if (quoted) {
            return JsonNodeFactory.instance.textNode(text);
        }
        try {
            return Json.MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("default " + text + " is no JSON", e);
        }
    }

    /** The words after a field's type. */
    private static final class Flags {
        static final Flags NONE = new Flags();

        boolean required;
        boolean atomic;
        boolean set;
        boolean zeroIsAbsent;
        String mergeKey = "";
        List<String> mapKeys = List.of();
        List<String> enumeration = List.of();
        Optional<String> defaultText = Optional.empty();
        final List<String> strategy = new ArrayList<>();

        static Flags of(String[] row) {
            Flags flags = new Flags();
            for (int i = 2; i < row.length; i++) {
                flags.read(row[i]);
            }
            return flags;
        }

        private void read(String word) {
            switch (word) {
                case "!" -> required = true;
                case "atomic" -> atomic = true;
                case "set" -> set = true;
                case "~" -> zeroIsAbsent = true;
                case "merge", "replace", "retainKeys" -> strategy.add(word);
                default -> readValue(word);
            }
        }

        private void readValue(String word) {
            if (word.startsWith("=")) {
                defaultText = Optional.of(word.substring(1));
            } else if (word.startsWith("merge:")) {
                strategy.add("merge");
                mergeKey = word.substring("merge:".length());
            } else if (word.startsWith("map:")) {
                mapKeys = List.of(word.substring("map:".length()).split(","));
            } else if (word.startsWith("{")) {
                enumeration = List.of(word.substring(1, word.length() - 1).split("\\|"));
            } else {
                throw new IllegalArgumentException("unknown flag " + word);
            }
        }

        ListType listType() {
            return !mapKeys.isEmpty() ? ListType.MAP : set ? ListType.SET : ListType.ATOMIC;
        }
    }
}
