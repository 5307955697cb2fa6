package io.sluice.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.quantity.IntOrString;
import io.sluice.api.quantity.Quantity;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Field;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.ScalarType;
import io.sluice.apiserver.schema.Schema.Struct;

import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Compares one tree with its schema, in place. Nulls mean absent, as everywhere in the API. */
final class TypeChecker {
    private final String root;
    private final List<String> problems;

    /** @param root the kind, for messages */
    TypeChecker(String root, List<String> problems) {
        this.root = root;
        this.problems = problems;
    }

    void check(ObjectNode tree, Struct schema) throws DecodeException {
        struct(tree, schema, "");
    }

    private void value(JsonNode value, Schema schema, String path) throws DecodeException {
        switch (schema) {
            case Struct struct -> struct(expectObject(value, struct.name(), path), struct, path);
            case Dictionary map -> dictionary(expectObject(value, "map", path), map, path);
            case Array array -> array(value, array, path);
            case Scalar scalar -> scalar(value, scalar.type(), path);
            case Schema.Any _ -> {}
        }
    }

    private void struct(ObjectNode object, Struct schema, String path) throws DecodeException {
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            String child = path.isEmpty() ? entry.getKey() : path + '.' + entry.getKey();
            Field field = schema.fields().get(entry.getKey());
            if (field == null) {
                if (problems.size() < ObjectCodec.MAX_PROBLEMS) {
                    problems.add("unknown field \"" + child + '"');
                }
                entries.remove();
            } else if (entry.getValue().isNull()) {
                entries.remove();
            } else {
                value(entry.getValue(), field.schema(), child);
            }
        }
    }

    private void dictionary(ObjectNode object, Dictionary schema, String path)
            throws DecodeException {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String child = path + '.' + entry.getKey();
            if (entry.getValue().isNull()) {
                entry.setValue(zero(schema.values(), child));
            } else {
                value(entry.getValue(), schema.values(), child);
            }
        }
    }

    /** A null in a map reads as the type's zero value. */
    private JsonNode zero(Schema schema, String path) throws DecodeException {
        var nodes = com.fasterxml.jackson.databind.node.JsonNodeFactory.instance;
        if (schema instanceof Scalar scalar) {
            return scalar.type() == ScalarType.QUANTITY ? nodes.textNode("0") : nodes.textNode("");
        }
        throw mismatch("null", schema.getClass().getSimpleName(), path);
    }

    private void array(JsonNode value, Array schema, String path) throws DecodeException {
        if (!(value instanceof ArrayNode items)) {
            throw mismatch(kindOf(value), "[]" + goType(schema.items()), path);
        }
        for (int i = 0; i < items.size(); i++) {
            String child = path + '[' + i + ']';
            if (items.get(i).isNull()) {
                throw mismatch("null", goType(schema.items()), child);
            }
            value(items.get(i), schema.items(), child);
        }
    }

    private ObjectNode expectObject(JsonNode value, String type, String path)
            throws DecodeException {
        if (value instanceof ObjectNode object) {
            return object;
        }
        throw mismatch(kindOf(value), type, path);
    }

    private void scalar(JsonNode value, ScalarType type, String path) throws DecodeException {
        boolean fits = switch (type) {
            case STRING -> value.isTextual();
            case BOOLEAN -> value.isBoolean();
            case INT32 -> value.isIntegralNumber() && value.canConvertToInt();
            case INT64 -> value.isIntegralNumber() && value.canConvertToLong();
            case DOUBLE -> value.isNumber();
            case QUANTITY -> value.isTextual() || value.isNumber();
            case INT_OR_STRING -> IntOrString.of(value).isPresent();
            case TIME, MICRO_TIME, BYTES -> value.isTextual();
        };
        if (!fits) {
            throw mismatch(kindOf(value), goType(type), path);
        }
        content(value, type, path);
    }

    private void content(JsonNode value, ScalarType type, String path) throws DecodeException {
        String text = value.asText();
        switch (type) {
            case QUANTITY -> {
                if (Quantity.parse(text).isEmpty()) {
                    throw new DecodeException(at(path)
                            + ": quantities must match the regular expression"
                            + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$', found \"" + text
                            + '"');
                }
            }
            case TIME, MICRO_TIME -> {
                if (Rfc3339.parse(text).isEmpty()) {
                    throw new DecodeException(at(path) + ": parsing time \"" + text
                            + "\": expected RFC 3339, as in 2006-01-02T15:04:05Z");
                }
            }
            case BYTES -> {
                try {
                    Base64.getDecoder().decode(text);
                } catch (IllegalArgumentException e) {
                    throw new DecodeException(at(path) + ": illegal base64 data");
                }
            }
            case STRING, BOOLEAN, INT32, INT64, DOUBLE, INT_OR_STRING -> {}
        }
    }

    private DecodeException mismatch(String found, String expected, String path) {
        return new DecodeException("json: cannot unmarshal " + found + " into Go struct field "
                + root + '.' + path + " of type " + expected);
    }

    private String at(String path) {
        return root + '.' + path;
    }

    private static String kindOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case BOOLEAN -> "bool";
            case NUMBER -> "number " + value.asText();
            default -> value.getNodeType().name().toLowerCase(Locale.ROOT);
        };
    }

    private static String goType(Schema schema) {
        return switch (schema) {
            case Struct struct -> struct.name();
            case Dictionary map -> "map[string]" + goType(map.values());
            case Array array -> "[]" + goType(array.items());
            case Scalar scalar -> goType(scalar.type());
            case Schema.Any _ -> "any";
        };
    }

    private static String goType(ScalarType type) {
        return switch (type) {
            case STRING -> "string";
            case BOOLEAN -> "bool";
            case INT32 -> "int32";
            case INT64 -> "int64";
            case DOUBLE -> "float64";
            case QUANTITY -> "resource.Quantity";
            case INT_OR_STRING -> "intstr.IntOrString";
            case TIME -> "v1.Time";
            case MICRO_TIME -> "v1.MicroTime";
            case BYTES -> "[]uint8";
        };
    }
}
