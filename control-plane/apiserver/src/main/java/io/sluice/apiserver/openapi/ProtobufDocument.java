package io.sluice.apiserver.openapi;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.object.KubeObject;

import java.util.List;
import java.util.Map;

/**
 * A version 2 document as protobuf (message {@code openapi.v2.Document} of OpenAPIv2.proto): kubectl up to 1.27 reads it in no other form.
 * Field numbers are those of that file. Pure.
 */
final class ProtobufDocument {
    private static final Map<String, Integer> METHODS =
            Map.of("get", 2, "put", 3, "post", 4, "delete", 5, "patch", 8);
    private static final List<String> SCHEMA_WORDS = List.of(
            "$ref",
            "format",
            "description",
            "default",
            "required",
            "enum",
            "additionalProperties",
            "type",
            "items",
            "properties");

    private ProtobufDocument() {}

    static byte[] encode(JsonNode document) {
        ProtobufWriter out = new ProtobufWriter();
        out.text(1, KubeObject.text(document, "swagger"));
        out.message(2, info -> {
            info.text(1, KubeObject.text(document.path("info"), "title"));
            info.text(2, KubeObject.text(document.path("info"), "version"));
        });
        out.message(
                8,
                paths -> document.path("paths")
                        .properties()
                        .forEach(entry -> paths.named(
                                2, entry.getKey(), item -> pathItem(item, entry.getValue()))));
        out.message(
                9,
                definitions -> document.path("definitions")
                        .properties()
                        .forEach(entry -> definitions.named(
                                1, entry.getKey(), schema -> schema(schema, entry.getValue()))));
        return out.toBytes();
    }

    private static void pathItem(ProtobufWriter out, JsonNode item) {
        METHODS.forEach((method, field) -> {
            if (item.has(method)) {
                out.message(field, operation -> operation(operation, item.path(method)));
            }
        });
        parameters(out, 9, item.path("parameters"));
    }

    private static void operation(ProtobufWriter out, JsonNode operation) {
        out.text(5, KubeObject.text(operation, "operationId"));
        operation.path("consumes").forEach(type -> out.text(7, type.asText()));
        parameters(out, 8, operation.path("parameters"));
        out.message(
                9,
                responses -> operation
                        .path("responses")
                        .properties()
                        .forEach(entry -> responses.named(
                                1,
                                entry.getKey(),
                                value -> value.message(
                                        1, answer -> response(answer, entry.getValue())))));
        extensions(out, 13, operation);
    }

    private static void response(ProtobufWriter out, JsonNode response) {
        out.text(1, KubeObject.text(response, "description"));
        out.message(2, item -> item.message(1, schema -> schema(schema, response.path("schema"))));
    }

    private static void parameters(ProtobufWriter out, int field, JsonNode parameters) {
        parameters.forEach(parameter -> out.message(
                field, item -> item.message(1, choice -> parameter(choice, parameter))));
    }

    private static void parameter(ProtobufWriter out, JsonNode parameter) {
        String in = KubeObject.text(parameter, "in");
        if (in.equals("body")) {
            out.message(1, body -> {
                body.text(2, KubeObject.text(parameter, "name"));
                body.text(3, in);
                body.bool(4, parameter.path("required").asBoolean());
                body.message(5, schema -> schema(schema, parameter.path("schema")));
            });
            return;
        }
        boolean query = in.equals("query");
        out.message(
                2,
                other -> other.message(query ? 3 : 4, sub -> {
                    sub.bool(1, parameter.path("required").asBoolean());
                    sub.text(2, in);
                    sub.text(4, KubeObject.text(parameter, "name"));
                    sub.text(query ? 6 : 5, KubeObject.text(parameter, "type"));
                    sub.bool(query ? 20 : 19, parameter.path("uniqueItems").asBoolean());
                }));
    }

    private static void schema(ProtobufWriter out, JsonNode schema) {
        for (String word : SCHEMA_WORDS) {
            JsonNode value = schema.path(word);
            if (!value.isMissingNode()) {
                schemaWord(out, word, value);
            }
        }
        extensions(out, 31, schema);
    }

    private static void schemaWord(ProtobufWriter out, String word, JsonNode value) {
        switch (word) {
            case "$ref" -> out.text(1, value.asText());
            case "format" -> out.text(2, value.asText());
            case "description" -> out.text(4, value.asText());
            case "default" -> out.message(5, any -> any.text(2, value.toString()));
            case "required" -> value.forEach(name -> out.text(19, name.asText()));
            case "enum" ->
                value.forEach(item -> out.message(20, any -> any.text(2, item.toString())));
            case "additionalProperties" ->
                out.message(21, item -> item.message(1, schema -> schema(schema, value)));
            case "type" -> out.message(22, type -> type.text(1, value.asText()));
            case "items" ->
                out.message(23, items -> items.message(1, schema -> schema(schema, value)));
            case "properties" ->
                out.message(
                        25,
                        properties -> value.properties()
                                .forEach(entry -> properties.named(
                                        1,
                                        entry.getKey(),
                                        schema -> schema(schema, entry.getValue()))));
            default -> throw new AssertionError("no field for the schema's word " + word);
        }
    }

    /** Words that begin with x- carry their value as YAML text, which JSON is. */
    private static void extensions(ProtobufWriter out, int field, JsonNode holder) {
        holder.properties().forEach(entry -> {
            if (entry.getKey().startsWith("x-")) {
                out.named(
                        field,
                        entry.getKey(),
                        any -> any.text(2, entry.getValue().toString()));
            }
        });
    }
}
