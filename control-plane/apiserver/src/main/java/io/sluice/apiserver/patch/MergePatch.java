package io.sluice.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import java.util.Map;

/** JSON Merge Patch, RFC 7386: objects merge, nulls delete, everything else replaces. */
public final class MergePatch {
    private MergePatch() {}

    public static ObjectNode apply(ObjectNode target, ObjectNode patch) {
        return merge(target.deepCopy(), patch);
    }

    /** As above for any value. */
    static JsonNode applyValue(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        return merge(
                target instanceof ObjectNode object ? object.deepCopy() : Json.object(), changes);
    }

    private static ObjectNode merge(ObjectNode target, ObjectNode patch) {
        for (Map.Entry<String, JsonNode> entry : patch.properties()) {
            String key = entry.getKey();
            JsonNode value = entry.getValue();
            if (value.isNull()) {
                target.remove(key);
            } else if (value instanceof ObjectNode changes) {
                ObjectNode base =
                        target.get(key) instanceof ObjectNode object ? object : Json.object();
                target.set(key, merge(base, changes));
            } else {
                target.set(key, value.deepCopy());
            }
        }
        return target;
    }
}
