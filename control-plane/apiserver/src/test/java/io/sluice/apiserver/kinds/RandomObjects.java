package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.schema.Schema;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Field;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.Struct;

import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes objects that fit a schema and nothing else: nonsense of the right types. */
final class RandomObjects {
    private static final List<String> TEXTS = List.of(
            "",
            "a",
            "A_B",
            "None",
            "10.0.0.1",
            "fd00::1",
            "::",
            "IPv4",
            "IPv6",
            "ClientIP",
            "Local",
            "NodePort",
            "ExternalName",
            "LoadBalancer",
            "x/y/z",
            "/",
            "..",
            "\u0000",
            "ä\uD83D\uDE00",
            "kubernetes.io/tls",
            "example.com/a",
            "RequireDualStack",
            "Always",
            "Exists",
            "a".repeat(300));
    private static final List<Integer> NUMBERS =
            List.of(0, 1, -1, 80, 30001, 65535, 65536, Integer.MAX_VALUE, Integer.MIN_VALUE);

    private final Random random;

    RandomObjects(Random random) {
        this.random = random;
    }

    ObjectNode struct(Struct schema, int depth) {
        ObjectNode out = Json.object();
        for (Map.Entry<String, Field> entry : schema.fields().entrySet()) {
            boolean taken = random.nextInt(depth > 4 ? 8 : 3) == 0;
            if (taken || depth == 0 && entry.getValue().schema() instanceof Struct) {
                out.set(entry.getKey(), value(entry.getValue().schema(), depth + 1));
            }
        }
        return out;
    }

    private JsonNode value(Schema schema, int depth) {
        return switch (schema) {
            case Struct struct -> struct(struct, depth);
            case Array array -> {
                ArrayNode out = JsonNodeFactory.instance.arrayNode();
                for (int i = random.nextInt(3); i > 0; i--) {
                    out.add(value(array.items(), depth));
                }
                yield out;
            }
            case Dictionary map -> {
                ObjectNode out = Json.object();
                for (int i = random.nextInt(3); i > 0; i--) {
                    out.set(text(), value(map.values(), depth));
                }
                yield out;
            }
            case Scalar scalar -> scalar(scalar);
            case Schema.Any _ -> Json.object();
        };
    }

    private JsonNode scalar(Scalar scalar) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        boolean known = !scalar.enumeration().isEmpty() && random.nextInt(4) > 0;
        return switch (scalar.type()) {
            case STRING -> nodes.textNode(known ? pick(scalar.enumeration()) : text());
            case BOOLEAN -> nodes.booleanNode(random.nextBoolean());
            case INT32, INT64 -> nodes.numberNode(pick(NUMBERS));
            case DOUBLE -> nodes.numberNode(random.nextDouble());
            case QUANTITY -> nodes.textNode(pick(List.of("0", "1", "-5", "100m", "1Gi", "1e300")));
            case INT_OR_STRING ->
                random.nextBoolean() ? nodes.numberNode(pick(NUMBERS)) : nodes.textNode(text());
            case TIME, MICRO_TIME -> nodes.textNode("2026-12-01T12:00:00Z");
            case BYTES -> nodes.textNode(pick(List.of("", "YQ==", "e30=")));
        };
    }

    private String text() {
        return pick(TEXTS);
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
