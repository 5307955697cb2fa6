package io.sluice.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.schema.Schema;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Field;
import io.sluice.apiserver.schema.Schema.Struct;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Strategic merge patch: a merge patch that knows which lists are sets of things with a name. Directives: {@code $patch},
 * {@code $retainKeys}, {@code $setElementOrder/list} and {@code $deleteFromPrimitiveList/list}.
 *
 * <p>Objects are handled here, lists in {@link ListMerge}.
 */
public final class StrategicMergePatch {
    static final String DIRECTIVE = "$patch";
    private static final String RETAIN = "$retainKeys";
    private static final String ORDER = "$setElementOrder/";
    private static final String DELETE_VALUES = "$deleteFromPrimitiveList/";

    private StrategicMergePatch() {}

    public static ObjectNode apply(ObjectNode target, ObjectNode patch, Struct schema)
            throws PatchException {
        return merge(target.deepCopy(), patch, schema);
    }

    /** Merges into {@code target}, which is changed and returned (or replaced, if the patch says so). */
    static ObjectNode merge(ObjectNode target, ObjectNode patch, Schema schema)
            throws PatchException {
        JsonNode directive = patch.path(DIRECTIVE);
        if (!directive.isMissingNode()) {
            switch (directive.asText()) {
                case "replace" -> {
                    return merge(Json.object(), without(patch, DIRECTIVE), schema);
                }
                case "delete" -> {
                    return Json.object();
                }
                case "merge" -> {
                    return merge(target, without(patch, DIRECTIVE), schema);
                }
                default ->
                    throw PatchException.malformed("Unknown patch type: " + directive
                            + "; expected replace, merge or delete");
            }
        }
        retainKeys(target, patch);
        Set<String> lists = new HashSet<>();
        for (Map.Entry<String, JsonNode> entry : patch.properties()) {
            String key = entry.getKey();
            if (key.startsWith(ORDER)) {
                lists.add(key.substring(ORDER.length()));
            } else if (key.startsWith(DELETE_VALUES)) {
                lists.add(key.substring(DELETE_VALUES.length()));
            } else if (!key.equals(RETAIN)) {
                mergeField(target, patch, key, schema);
            }
        }
        // Lists that only have directives.
        for (String list : lists) {
            if (!patch.has(list)) {
                mergeList(target, patch, list, field(schema, list));
            }
        }
        return target;
    }

    private static ObjectNode without(ObjectNode patch, String field) {
        ObjectNode copy = Json.object();
        patch.properties().forEach(entry -> {
            if (!entry.getKey().equals(field)) {
                copy.set(entry.getKey(), entry.getValue());
            }
        });
        return copy;
    }

    private static void retainKeys(ObjectNode target, ObjectNode patch) throws PatchException {
        JsonNode directive = patch.path(RETAIN);
        if (directive.isMissingNode()) {
            return;
        }
        if (!(directive instanceof ArrayNode)) {
            throw PatchException.malformed(RETAIN + " must be a list, found " + directive);
        }
        Set<String> retained = new HashSet<>();
        directive.forEach(key -> retained.add(key.asText()));
        for (Map.Entry<String, JsonNode> entry : patch.properties()) {
            boolean field = !entry.getKey().startsWith("$") && !entry.getValue().isNull();
            if (field && !retained.contains(entry.getKey())) {
                throw PatchException.malformed("patch content doesn't match retainKeys list: "
                        + entry.getKey() + " is not in " + directive);
            }
        }
        List<String> present = new ArrayList<>();
        target.fieldNames().forEachRemaining(present::add);
        present.stream().filter(key -> !retained.contains(key)).forEach(target::remove);
    }

    private static void mergeField(ObjectNode target, ObjectNode patch, String key, Schema schema)
            throws PatchException {
        JsonNode change = patch.get(key);
        Optional<Field> field = field(schema, key);
        switch (change) {
            case ObjectNode object -> mergeObject(target, key, object, field);
            case ArrayNode _ -> mergeList(target, patch, key, field);
            case JsonNode value when value.isNull() -> target.remove(key);
            default -> target.set(key, change);
        }
    }

    private static void mergeObject(
            ObjectNode target, String key, ObjectNode change, Optional<Field> field)
            throws PatchException {
        Schema schema = field.<Schema>map(Field::schema).orElseGet(Schema.Any::new);
        boolean replace = field.filter(f -> f.patchStrategy().equals("replace")).isPresent();
        boolean into = target.get(key) instanceof ObjectNode && !replace;
        ObjectNode base = into ? (ObjectNode) target.get(key) : Json.object();
        target.set(key, merge(base, change, schema));
    }

    private static void mergeList(
            ObjectNode target, ObjectNode patch, String key, Optional<Field> field)
            throws PatchException {
        Optional<Array> schema =
                field.map(Field::schema).filter(Array.class::isInstance).map(Array.class::cast);
        boolean merges = field.filter(Field::merges).isPresent() && schema.isPresent();
        if (!merges) {
            if (patch.get(key) instanceof ArrayNode list) {
                target.set(key, ListMerge.plain(list));
            }
            return;
        }
        ListMerge.Change change = new ListMerge.Change(
                list(patch, key), list(patch, ORDER + key), list(patch, DELETE_VALUES + key));
        Optional<ArrayNode> before =
                target.get(key) instanceof ArrayNode list ? Optional.of(list) : Optional.empty();
        boolean nothing = before.isEmpty() && change.items().isEmpty();
        if (!nothing) {
            ArrayNode merged = new ListMerge(key, schema.get()).merge(before, change);
            target.set(key, merged);
        }
    }

    private static Optional<ArrayNode> list(ObjectNode patch, String key) throws PatchException {
        JsonNode value = patch.path(key);
        if (value.isMissingNode()) {
            return Optional.empty();
        }
        if (value instanceof ArrayNode list) {
            return Optional.of(list);
        }
        throw PatchException.malformed(key + " must be a list, found " + value);
    }

    /** Schema and strategy of a field; none for unknown fields, which merge as plain JSON. */
    private static Optional<Field> field(Schema schema, String key) {
        return switch (schema) {
            case Struct struct -> Optional.ofNullable(struct.fields().get(key));
            case Dictionary map ->
                Optional.of(new Field(map.values(), false, Optional.empty(), false, ""));
            case Array _, Schema.Scalar _, Schema.Any _ -> Optional.empty();
        };
    }
}
