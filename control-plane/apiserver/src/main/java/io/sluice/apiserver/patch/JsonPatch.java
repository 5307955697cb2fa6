package io.sluice.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import java.math.BigDecimal;
import java.util.Iterator;

/** JSON Patch, RFC 6902: all operations, in order, all or nothing. */
public final class JsonPatch {
    /** More operations are refused. */
    public static final int MAX_OPERATIONS = 10_000;

    /** How many bytes all copy operations of one patch may add. */
    static final long MAX_COPIED = 3L * 1024 * 1024;

    private JsonNode document;
    private long copied;

    private JsonPatch(JsonNode document) {
        this.document = document;
    }

    /** @param patch the patch document, which must be an array of operations */
    public static ObjectNode apply(ObjectNode target, JsonNode patch) throws PatchException {
        if (applyValue(target, patch) instanceof ObjectNode object) {
            return object;
        }
        throw PatchException.inapplicable("json patch: the result is no object");
    }

    static JsonNode applyValue(JsonNode target, JsonNode patch) throws PatchException {
        if (!(patch instanceof ArrayNode operations)) {
            throw PatchException.malformed("json patch: expected an array of operations, found "
                    + patch.getNodeType().name().toLowerCase(java.util.Locale.ROOT));
        }
        if (operations.size() > MAX_OPERATIONS) {
            throw new PatchException(
                    413,
                    "The allowed maximum operations in a JSON patch is " + MAX_OPERATIONS + ", got "
                            + operations.size());
        }
        JsonPatch run = new JsonPatch(target.deepCopy());
        for (JsonNode operation : operations) {
            run.run(operation);
        }
        return run.document;
    }

    private void run(JsonNode operation) throws PatchException {
        String op = operation.path("op").asText("");
        JsonPointer path = pointer(operation, "path", op);
        switch (op) {
            case "add" -> add(path, value(operation).deepCopy(), op);
            case "remove" -> remove(path, op);
            case "replace" -> replace(path, value(operation).deepCopy());
            case "test" -> test(path, value(operation));
            case "move" -> {
                JsonPointer from = pointer(operation, "from", op);
                if (!from.equals(path) && path.startsWith(from)) {
                    throw PatchException.inapplicable("move operation does not apply: \""
                            + from.text() + "\" cannot be moved into itself");
                }
                JsonNode moved = find(from, op);
                remove(from, op);
                add(path, moved, op);
            }
            case "copy" -> {
                JsonNode source = find(pointer(operation, "from", op), op);
                limitCopies(source);
                add(path, source.deepCopy(), op);
            }
            default -> throw PatchException.malformed("Unexpected kind: \"" + op + '"');
        }
    }

    private static JsonPointer pointer(JsonNode operation, String field, String op)
            throws PatchException {
        JsonNode text = operation.path(field);
        if (!text.isTextual()) {
            throw PatchException.malformed(
                    "json patch: operation \"" + op + "\" has no \"" + field + '"');
        }
        return JsonPointer.parse(text.textValue());
    }

    private static JsonNode value(JsonNode operation) throws PatchException {
        JsonNode value = operation.path("value");
        if (value.isMissingNode()) {
            throw PatchException.malformed("json patch: operation " + operation.path("op") + " on "
                    + operation.path("path") + " has no \"value\"");
        }
        return value;
    }

    private void limitCopies(JsonNode source) throws PatchException {
        copied += Json.bytes(source).length;
        if (copied > MAX_COPIED) {
            throw PatchException.inapplicable(
                    "Unable to complete the copy, the accumulated size increase of copy is "
                            + copied + ", exceeding the limit " + MAX_COPIED);
        }
    }

    private void add(JsonPointer path, JsonNode value, String op) throws PatchException {
        if (path.isRoot()) {
            document = value;
            return;
        }
        switch (parent(path, op)) {
            case ObjectNode object -> object.set(path.last(), value);
            case ArrayNode array when path.last().equals("-") -> array.add(value);
            case ArrayNode array -> array.insert(index(path, array.size() + 1, op), value);
            default -> throw missing(path, op);
        }
    }

    private void remove(JsonPointer path, String op) throws PatchException {
        find(path, op);
        if (path.isRoot()) {
            throw PatchException.inapplicable(
                    op + " operation does not apply: the whole document cannot go");
        }
        switch (parent(path, op)) {
            case ObjectNode object -> object.remove(path.last());
            case ArrayNode array -> array.remove(index(path, array.size(), op));
            default -> throw missing(path, op);
        }
    }

    private void replace(JsonPointer path, JsonNode value) throws PatchException {
        find(path, "replace");
        if (path.isRoot()) {
            document = value;
            return;
        }
        switch (parent(path, "replace")) {
            case ObjectNode object -> object.set(path.last(), value);
            case ArrayNode array -> array.set(index(path, array.size(), "replace"), value);
            default -> throw missing(path, "replace");
        }
    }

    private void test(JsonPointer path, JsonNode expected) throws PatchException {
        JsonNode found = document;
        for (String token : path.tokens()) {
            found = step(found, token);
        }
        boolean bothAbsent = expected.isNull() && (found.isMissingNode() || found.isNull());
        if (!bothAbsent && (found.isMissingNode() || !equal(found, expected))) {
            throw PatchException.inapplicable(
                    "testing value " + path.text() + " failed: test failed");
        }
    }

    /** Numbers are equal by value, whatever their text. */
    private static boolean equal(JsonNode left, JsonNode right) {
        if (left.isNumber() && right.isNumber()) {
            return new BigDecimal(left.asText()).compareTo(new BigDecimal(right.asText())) == 0;
        }
        if (left.getNodeType() != right.getNodeType() || left.size() != right.size()) {
            return false;
        }
        if (left.isObject()) {
            return left.properties().stream()
                    .allMatch(entry -> equal(entry.getValue(), right.path(entry.getKey())));
        }
        Iterator<JsonNode> others = right.elements();
        for (JsonNode item : left) {
            if (!equal(item, others.next())) {
                return false;
            }
        }
        return left.isArray() || left.equals(right);
    }

    private JsonNode parent(JsonPointer path, String op) throws PatchException {
        JsonNode node = document;
        for (String token : path.tokens().subList(0, path.tokens().size() - 1)) {
            node = step(node, token);
            if (node.isMissingNode()) {
                throw missing(path, op);
            }
        }
        return node;
    }

    private JsonNode find(JsonPointer path, String op) throws PatchException {
        JsonNode node = document;
        for (String token : path.tokens()) {
            node = step(node, token);
            if (node.isMissingNode()) {
                throw missing(path, op);
            }
        }
        return node;
    }

    private static JsonNode step(JsonNode node, String token) {
        if (node.isArray() && isIndex(token)) {
            return node.path(Integer.parseInt(token));
        }
        return node.isObject() ? node.path(token) : node.path("");
    }

    private static boolean isIndex(String token) {
        boolean digits = !token.isEmpty()
                && token.length() < 9
                && token.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits && (token.length() == 1 || token.charAt(0) != '0');
    }

    private static int index(JsonPointer path, int below, String op) throws PatchException {
        if (!isIndex(path.last()) || Integer.parseInt(path.last()) >= below) {
            throw PatchException.inapplicable(
                    op + " operation does not apply: doc is missing path: \"" + path.text()
                            + "\": Unable to access invalid index: " + path.last());
        }
        return Integer.parseInt(path.last());
    }

    private static PatchException missing(JsonPointer path, String op) {
        return PatchException.inapplicable(op + " operation does not apply: doc is missing path: \""
                + path.text() + "\": missing value");
    }
}
