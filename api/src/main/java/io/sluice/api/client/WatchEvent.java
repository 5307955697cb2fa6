package io.sluice.api.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.Decoded;
import io.sluice.api.model.ObjectDecoder;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** One line of a watch stream. */
sealed interface WatchEvent<T> {
    /** ADDED or MODIFIED. */
    record Upsert<T>(Decoded<T> object) implements WatchEvent<T> {}

    record Delete<T>(NamespacedName name, String resourceVersion) implements WatchEvent<T> {}

    record Bookmark<T>(String resourceVersion, Map<String, String> annotations)
            implements WatchEvent<T> {}

    /** ERROR: the server ends the stream with a Status. */
    record Failure<T>(int code, String reason, String message) implements WatchEvent<T> {}

    /** An object that could not be decoded; the problem was reported. */
    record Unreadable<T>(String resourceVersion) implements WatchEvent<T> {}

    /** @throws IOException if the line is no event */
    static <T> WatchEvent<T> parse(byte[] line, ObjectDecoder<T> decoder, Consumer<String> problems)
            throws IOException {
        String type = type(line);
        return switch (type) {
            case "ADDED", "MODIFIED" -> decode(line, decoder, problems);
            case "DELETED" -> {
                KubeObject object = tree(line);
                yield new Delete<>(object.id(), object.resourceVersion());
            }
            case "BOOKMARK" -> {
                KubeObject object = tree(line);
                yield new Bookmark<>(object.resourceVersion(), object.annotations());
            }
            case "ERROR" -> {
                ObjectNode status = tree(line).tree();
                yield new Failure<>(
                        status.path("code").asInt(500),
                        KubeObject.text(status, "reason"),
                        KubeObject.text(status, "message"));
            }
            default ->
                throw new IOException("the stream holds an event of unknown type \"" + type + '"');
        };
    }

    private static <T> WatchEvent<T> decode(
            byte[] line, ObjectDecoder<T> decoder, Consumer<String> problems) throws IOException {
        try (JsonParser parser = Json.parser(line)) {
            seek(parser, "object");
            Optional<Decoded<T>> object = decoder.decode(parser, problems);
            if (object.isPresent()) {
                return new Upsert<>(object.get());
            }
        }
        return new Unreadable<>(tree(line).resourceVersion());
    }

    private static String type(byte[] line) throws IOException {
        try (JsonParser parser = Json.parser(line)) {
            seek(parser, "type");
            return parser.getText();
        }
    }

    private static KubeObject tree(byte[] line) throws IOException {
        try (JsonParser parser = Json.parser(line)) {
            seek(parser, "object");
            if (Json.readTree(parser) instanceof ObjectNode tree) {
                return KubeObject.of(tree);
            }
            throw new IOException("an event's object is no JSON object");
        }
    }

    /** Moves to the value of a field of the event. */
    private static void seek(JsonParser parser, String field) throws IOException {
        if (parser.nextToken() == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean found = parser.currentName().equals(field);
                parser.nextToken();
                if (found) {
                    return;
                }
                parser.skipChildren();
            }
        }
        throw new IOException("the stream holds a line without \"" + field + "\"");
    }
}
