package io.sluice.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.schema.Schema;
import io.sluice.apiserver.schema.Schema.Array;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Merges one list whose items are told apart by a key, or are plain values.
 *
 * @param name of the list, for messages
 */
record ListMerge(String name, Array schema) {

    /**
     * What a patch says of a list.
     *
     * @param order of the items the client knows; others keep their place between them
     * @param delete plain values to take out
     */
    record Change(
            Optional<ArrayNode> items, Optional<ArrayNode> order, Optional<ArrayNode> delete) {}

    ArrayNode merge(Optional<ArrayNode> before, Change change) throws PatchException {
        List<JsonNode> original = new ArrayList<>();
        before.ifPresent(list -> list.forEach(original::add));
        List<JsonNode> patch = new ArrayList<>();
        change.items().ifPresent(list -> list.forEach(patch::add));
        if (change.order().isPresent()) {
            checkOrder(patch, change.order().get());
        }
        List<JsonNode> merged = schema.mergeKey().isEmpty()
                ? values(original, patch, change)
                : objects(original, patch);
        List<JsonNode> order = new ArrayList<>(patch);
        if (change.order().isPresent()) {
            order.clear();
            change.order().get().forEach(order::add);
        }
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        ordered(merged, order, original).forEach(out::add);
        return out;
    }

    private static List<JsonNode> values(
            List<JsonNode> original, List<JsonNode> patch, Change change) {
        List<JsonNode> merged = new ArrayList<>();
        for (List<JsonNode> list : List.of(original, patch)) {
            for (JsonNode value : list) {
                if (!merged.contains(value)) {
                    merged.add(value);
                }
            }
        }
        change.delete().ifPresent(list -> list.forEach(merged::remove));
        return merged;
    }

    private List<JsonNode> objects(List<JsonNode> original, List<JsonNode> patch)
            throws PatchException {
        List<JsonNode> merged = new ArrayList<>(original);
        if (patch.stream().anyMatch(item -> directive(item).equals("replace"))) {
            // The list becomes what the patch holds beside the directive.
            merged.clear();
        }
        for (JsonNode item : patch) {
            if (directive(item).equals("delete")) {
                JsonNode key = key(item);
                merged.removeIf(other -> other.path(schema.mergeKey()).equals(key));
            }
        }
        for (JsonNode item : patch) {
            boolean only = directive(item).equals("delete")
                    || directive(item).equals("replace") && item.size() == 1;
            if (!only) {
                mergeItem(merged, item);
            }
        }
        return merged;
    }

    private void mergeItem(List<JsonNode> merged, JsonNode item) throws PatchException {
        if (!(item instanceof ObjectNode object)) {
            throw PatchException.malformed(
                    "list " + name + " holds objects, found " + item + " in the patch");
        }
        String directive = directive(item);
        if (!List.of("", "merge", "replace").contains(directive)) {
            throw PatchException.malformed("Unknown patch type: \"" + directive + '"');
        }
        ObjectNode change = object.deepCopy();
        change.remove(StrategicMergePatch.DIRECTIVE);
        int index = indexOf(merged, key(change));
        if (index < 0) {
            merged.add(StrategicMergePatch.merge(Json.object(), change, schema.items()));
        } else if (merged.get(index) instanceof ObjectNode base) {
            merged.set(index, StrategicMergePatch.merge(base, change, schema.items()));
        }
    }

    private static String directive(JsonNode item) {
        return item.path(StrategicMergePatch.DIRECTIVE).asText("");
    }

    private JsonNode key(JsonNode item) throws PatchException {
        JsonNode key = item.path(schema.mergeKey());
        if (key.isMissingNode() || key.isNull()) {
            throw PatchException.malformed(
                    "map: " + item + " does not contain declared merge key: " + schema.mergeKey());
        }
        return key;
    }

    private int indexOf(List<JsonNode> items, JsonNode key) {
        for (int i = 0; i < items.size(); i++) {
            if (items.get(i).path(schema.mergeKey()).equals(key)) {
                return i;
            }
        }
        return -1;
    }

    private void checkOrder(List<JsonNode> patch, ArrayNode order) throws PatchException {
        int last = -1;
        for (JsonNode item : patch) {
            if (directive(item).isEmpty()) {
                int index = position(item, order);
                if (index <= last) {
                    throw PatchException.malformed("The order in patch list: " + patch
                            + " doesn't match $setElementOrder/" + name + " list: " + order);
                }
                last = index;
            }
        }
    }

    private int position(JsonNode item, Iterable<JsonNode> list) {
        int index = 0;
        for (JsonNode other : list) {
            if (same(item, other)) {
                return index;
            }
            index++;
        }
        return -1;
    }

    private boolean same(JsonNode left, JsonNode right) {
        String key = schema.mergeKey();
        return key.isEmpty() ? left.equals(right) : left.path(key).equals(right.path(key));
    }

    /**
     * Items the client knows, in its order; the others keep their old order, and stand before the first known item they stood before.
     */
    private List<JsonNode> ordered(
            List<JsonNode> merged, List<JsonNode> order, List<JsonNode> original) {
        List<JsonNode> known = new ArrayList<>();
        List<JsonNode> others = new ArrayList<>();
        for (JsonNode item : merged) {
            (position(item, order) >= 0 ? known : others).add(item);
        }
        known.sort((left, right) -> Integer.compare(position(left, order), position(right, order)));
        List<JsonNode> out = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < others.size() && j < known.size()) {
            int left = position(others.get(i), original);
            int right = position(known.get(j), original);
            boolean otherFirst = left < 0 || right < 0 || left <= right;
            out.add(otherFirst ? others.get(i++) : known.get(j++));
        }
        out.addAll(others.subList(i, others.size()));
        out.addAll(known.subList(j, known.size()));
        return out;
    }

    /** A list that replaces another one: without nulls and directives inside its items. */
    static ArrayNode plain(ArrayNode list) throws PatchException {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        for (JsonNode item : list) {
            boolean replace = directive(item).equals("replace") && item.size() == 1;
            if (item instanceof ObjectNode object && !replace) {
                out.add(StrategicMergePatch.merge(Json.object(), object, new Schema.Any()));
            } else if (!replace) {
                out.add(item);
            }
        }
        return out;
    }
}
