package io.sluice.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Field;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.Struct;

import java.util.Map;

/** Fills in what the schema says of absent fields. Pure. */
public final class SchemaDefaults {
    private SchemaDefaults() {}

    /** Defaults of all levels that are there, in place. An empty text counts as absent, a zero does not. */
    public static void apply(ObjectNode object, Struct schema) {
        for (Map.Entry<String, Field> entry : schema.fields().entrySet()) {
            JsonNode value = object.get(entry.getKey());
            Field field = entry.getValue();
            boolean absent =
                    value == null || value.isTextual() && value.textValue().isEmpty();
            if (absent && field.defaultValue().isPresent()) {
                value = field.defaultValue().get().deepCopy();
                object.set(entry.getKey(), value);
            }
            if (value != null) {
                descend(value, field.schema());
            }
        }
    }

    private static void descend(JsonNode value, Schema schema) {
        switch (schema) {
            case Struct struct when value instanceof ObjectNode object -> apply(object, struct);
            case Array array
            when value instanceof ArrayNode items ->
                items.forEach(item -> descend(item, array.items()));
            case Dictionary map
            when value instanceof ObjectNode object ->
                object.forEach(item -> descend(item, map.values()));
            case Struct _, Array _, Dictionary _, Scalar _, Schema.Any _ -> {}
        }
    }
}
