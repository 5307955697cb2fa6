package io.sluice.apiserver.schema;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.Yaml;
import io.sluice.api.object.YamlException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** From the bytes of a request to an object that has only known fields of the right types. Pure. */
public final class ObjectCodec {
    /** How many problems are named; the rest is left out, as Kubernetes does. */
    static final int MAX_PROBLEMS = 100;

    private ObjectCodec() {}

    /**
     * A decoded object.
     *
     * @param problems in order: {@code unknown field "spec.foo"}, {@code duplicate field "spec.ports"}; such fields are already
     *     left out (of duplicates the last one stays)
     */
    public record Decoded(ObjectNode object, List<String> problems) {

        /** The 400 answer's text where the client asked for strict field validation. */
        public String strictError() {
            return "strict decoding error: " + String.join(", ", problems);
        }
    }

    /** @throws DecodeException if the bytes are no JSON, or a known field has the wrong type */
    public static Decoded decodeJson(byte[] json, Schema.Struct schema) throws DecodeException {
        List<String> problems = new ArrayList<>();
        return check(parseJson(json, problems), problems, schema);
    }

    /** As above, from YAML. */
    public static Decoded decodeYaml(byte[] yaml, Schema.Struct schema) throws DecodeException {
        List<String> problems = new ArrayList<>();
        try {
            ObjectNode tree = Yaml.parseObject(
                    new String(yaml, StandardCharsets.UTF_8),
                    path -> problems.add("duplicate field \"" + path + '"'));
            return check(tree, problems, schema);
        } catch (YamlException e) {
            throw new DecodeException("error converting YAML to JSON: " + e.getMessage());
        }
    }

    /**
     * Checks a tree in place: nulls and unknown fields go, types are compared.
     *
     * @param problems what was found before, in front of what is found here
     */
    public static Decoded check(ObjectNode tree, List<String> problems, Schema.Struct schema)
            throws DecodeException {
        List<String> all = new ArrayList<>(problems);
        new TypeChecker(schema.name(), all).check(tree, schema);
        return new Decoded(tree, List.copyOf(all));
    }

    /** JSON to a tree, naming keys given twice; the last one stays. */
    public static ObjectNode parseJson(byte[] json, List<String> problems) throws DecodeException {
        try (JsonParser parser = Json.parser(json)) {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                throw new DecodeException("couldn't get version/kind; json parse error: "
                        + (first == null ? "unexpected end of JSON input" : "found " + first)
                        + ", expected an object");
            }
            ObjectNode tree = object(parser, "", problems);
            if (parser.nextToken() != null) {
                throw new DecodeException(
                        "json parse error: invalid character after top-level value");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw new DecodeException("couldn't get version/kind; json parse error: "
                    + e.getOriginalMessage().lines().findFirst().orElse(""));
        } catch (IOException e) {
            throw new DecodeException("json parse error: " + e.getMessage());
        }
    }

    private static ObjectNode object(JsonParser parser, String path, List<String> problems)
            throws IOException {
        ObjectNode out = Json.object();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            String child = path.isEmpty() ? name : path + '.' + name;
            parser.nextToken();
            if (out.has(name) && problems.size() < MAX_PROBLEMS) {
                problems.add("duplicate field \"" + child + '"');
            }
            out.set(name, value(parser, child, problems));
        }
        return out;
    }

    private static JsonNode value(JsonParser parser, String path, List<String> problems)
            throws IOException {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, path, problems);
            case START_ARRAY -> array(parser, path, problems);
            case VALUE_STRING -> nodes.textNode(parser.getText());
            case VALUE_TRUE -> nodes.booleanNode(true);
            case VALUE_FALSE -> nodes.booleanNode(false);
            case VALUE_NUMBER_INT -> integer(parser);
            case VALUE_NUMBER_FLOAT -> nodes.numberNode(parser.getDecimalValue());
            case null, default -> nodes.nullNode();
        };
    }

    private static JsonNode integer(JsonParser parser) throws IOException {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (parser.getNumberType()) {
            case INT -> nodes.numberNode(parser.getIntValue());
            case LONG -> nodes.numberNode(parser.getLongValue());
            default -> nodes.numberNode(parser.getBigIntegerValue());
        };
    }

    private static ArrayNode array(JsonParser parser, String path, List<String> problems)
            throws IOException {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            out.add(value(parser, path + '[' + out.size() + ']', problems));
        }
        return out;
    }
}
