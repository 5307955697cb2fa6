package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads fields by streaming: a value of an unexpected type is skipped, whole, and reads as absent. Texts that repeat from object to
 * object (node names, zones) are kept once.
 */
final class FieldReader {
    private static final int MOST_SHARED = 65_536;

    private final Map<String, String> shared = new HashMap<>();
    private final Map<List<String>, List<String>> sharedLists = new HashMap<>();

    /** Reads one field's value; must consume it. */
    @FunctionalInterface
    interface FieldHandler {
        void read(String field, JsonParser parser) throws IOException;
    }

    /** Reads one array item; must consume it. */
    @FunctionalInterface
    interface ItemHandler {
        void read(JsonParser parser) throws IOException;
    }

    /** @return whether the value was an object */
    static boolean object(JsonParser parser, FieldHandler handler) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return false;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            parser.nextToken();
            handler.read(field, parser);
        }
        return true;
    }

    /** @return whether the value was an array */
    static boolean array(JsonParser parser, ItemHandler handler) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return false;
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            handler.read(parser);
        }
        return true;
    }

    static String text(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            return parser.getText();
        }
        parser.skipChildren();
        return "";
    }

    static int number(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                && parser.getNumberType() == JsonParser.NumberType.INT) {
            return parser.getIntValue();
        }
        parser.skipChildren();
        return 0;
    }

    /** Empty for null and for other types. */
    static Optional<Boolean> bool(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_TRUE -> Optional.of(true);
            case VALUE_FALSE -> Optional.of(false);
            case null, default -> {
                parser.skipChildren();
                yield Optional.empty();
            }
        };
    }

    static List<String> texts(JsonParser parser) throws IOException {
        List<String> out = new ArrayList<>(2);
        array(parser, item -> {
            String text = text(item);
            if (!text.isEmpty()) {
                out.add(text);
            }
        });
        return out.isEmpty() ? List.of() : List.copyOf(out);
    }

    String sharedText(JsonParser parser) throws IOException {
        return share(text(parser));
    }

    List<String> share(List<String> texts) {
        if (texts.isEmpty()) {
            return List.of();
        }
        if (sharedLists.size() >= MOST_SHARED) {
            sharedLists.clear();
        }
        List<String> copy = List.copyOf(texts);
        List<String> known = sharedLists.putIfAbsent(copy, copy);
        return known == null ? copy : known;
    }

    String share(String text) {
        if (text.isEmpty()) {
            return "";
        }
        if (shared.size() >= MOST_SHARED) {
            shared.clear();
        }
        String known = shared.putIfAbsent(text, text);
        return known == null ? text : known;
    }
}
