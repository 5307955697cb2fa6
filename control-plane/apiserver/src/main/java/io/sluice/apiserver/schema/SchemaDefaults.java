package io.sluice.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.quantity.Quantity;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Field;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.ScalarType;
import io.sluice.apiserver.schema.Schema.Struct;

import java.util.Map;
import java.util.Optional;

/** Brings an object into the one form the API gives it: defaults filled in, zeros left out, quantities and times in their canonical text. Pure. */
public final class SchemaDefaults {
    private SchemaDefaults() {}

    /**
     * All levels that are there, in place. An empty text counts as absent, a zero only where the schema says so.
     *
     * @param object decoded by this schema
     */
    public static void apply(ObjectNode object, Struct schema) {
        for (Map.Entry<String, Field> entry : schema.fields().entrySet()) {
            String name = entry.getKey();
            Field field = entry.getValue();
            JsonNode value = object.get(name);
            if (value != null && field.zeroIsAbsent() && isZero(value)) {
                object.remove(name);
                value = null;
            }
            boolean absent =
                    value == null || value.isTextual() && value.textValue().isEmpty();
            if (absent && field.defaultValue().isPresent()) {
                value = field.defaultValue().get().deepCopy();
                object.set(name, value);
            }
            if (value != null) {
                JsonNode normal = normalize(value, field.schema());
                if (normal != value) {
                    object.set(name, normal);
                }
            }
        }
    }

    private static boolean isZero(JsonNode value) {
        return value.isBoolean() && !value.booleanValue()
                || value.isNumber() && value.decimalValue().signum() == 0;
    }

    /** The value itself, changed within, or what stands in its place. */
    private static JsonNode normalize(JsonNode value, Schema schema) {
        switch (schema) {
            case Struct struct when value instanceof ObjectNode object -> apply(object, struct);
            case Array array
            when value instanceof ArrayNode items -> {
                for (int i = 0; i < items.size(); i++) {
                    items.set(i, normalize(items.get(i), array.items()));
                }
            }
            case Dictionary map
            when value instanceof ObjectNode object ->
                object.properties()
                        .forEach(
                                entry -> entry.setValue(normalize(entry.getValue(), map.values())));
            case Scalar scalar -> {
                return canonical(value, scalar.type());
            }
            case Struct _, Array _, Dictionary _, Schema.Any _ -> {}
        }
        return value;
    }

    private static JsonNode canonical(JsonNode value, ScalarType type) {
        return switch (type) {
            case QUANTITY -> text(value, Quantity.parse(value.asText()).map(Quantity::toString));
            case TIME -> text(value, Rfc3339.parse(value.asText()).map(Rfc3339::seconds));
            case MICRO_TIME -> text(value, Rfc3339.parse(value.asText()).map(Rfc3339::micros));
            case STRING, BOOLEAN, INT32, INT64, DOUBLE, INT_OR_STRING, BYTES -> value;
        };
    }

    private static JsonNode text(JsonNode value, Optional<String> canonical) {
        return canonical.<JsonNode>map(JsonNodeFactory.instance::textNode).orElse(value);
    }
}
