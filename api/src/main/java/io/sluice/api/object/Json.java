package io.sluice.api.object;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;

/** JSON in and out, with limits that hold against hostile input. Thread-safe. */
public final class Json {
    /** Deeper nesting is refused; Kubernetes objects need about 20 levels. */
    public static final int MAX_DEPTH = 200;

    public static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(16 * 1024 * 1024)
                    .maxNumberLength(100)
                    .maxNameLength(16 * 1024)
                    .build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    public static final ObjectMapper MAPPER = new ObjectMapper(FACTORY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    /** For one value of many: what follows it in the stream is the caller's. */
    private static final ObjectReader VALUE_READER =
            MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** @throws IOException if the bytes are no JSON object, with what was found */
    public static ObjectNode parseObject(byte[] bytes) throws IOException {
        return asObject(MAPPER.readTree(bytes));
    }

    /** As above, from text. */
    public static ObjectNode parseObject(String text) throws IOException {
        return asObject(MAPPER.readTree(text));
    }

    private static ObjectNode asObject(JsonNode node) throws IOException {
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw new IOException("expected a JSON object, found "
                + (node.isMissingNode() ? "nothing" : node.getNodeType().name().toLowerCase()));
    }

    /** The value at which the parser stands; leaves the parser at its end. */
    public static JsonNode readTree(JsonParser parser) throws IOException {
        JsonNode node = VALUE_READER.readTree(parser);
        return node == null ? MissingNode.getInstance() : node;
    }

    public static byte[] bytes(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a tree can always be written", e);
        }
    }

    /** With line breaks and two-space indent, for people. */
    public static String pretty(JsonNode node) {
        return node.toPrettyString();
    }

    public static JsonParser parser(byte[] bytes) throws IOException {
        return FACTORY.createParser(bytes);
    }
}
