package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;

import java.util.List;
import java.util.TreeSet;

/** A pod's spec is fixed but for a few fields; everything else needs a new pod. */
public final class PodUpdateValidation {
    private static final String ALLOWED =
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
                    + "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
                    + "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

    private PodUpdateValidation() {}

    public static void validate(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        JsonNode now = pod.path("spec");
        JsonNode before = old.path("spec");
        for (String list : List.of("containers", "initContainers")) {
            if (now.path(list).size() != before.path(list).size()) {
                errors.forbidden("spec." + list, "pod updates may not add or remove containers");
                return;
            }
        }
        deadline(now, before, errors);
        tolerations(now, before, errors);
        rest(now, before, errors);
    }

    private static void deadline(JsonNode now, JsonNode before, FieldErrors errors) {
        JsonNode value = now.path("activeDeadlineSeconds");
        JsonNode old = before.path("activeDeadlineSeconds");
        if (old.isMissingNode()) {
            return;
        }
        if (value.isMissingNode()) {
            errors.invalid(
                    "spec.activeDeadlineSeconds",
                    value,
                    "must not update from a positive integer to nil value");
        } else if (value.asLong() > old.asLong()) {
            errors.invalid(
                    "spec.activeDeadlineSeconds",
                    value,
                    "must be less than or equal to previous value");
        }
    }

    private static void tolerations(JsonNode now, JsonNode before, FieldErrors errors) {
        for (JsonNode old : before.path("tolerations")) {
            boolean kept = false;
            for (JsonNode toleration : now.path("tolerations")) {
                kept |= sameButSeconds(toleration, old);
            }
            if (!kept) {
                errors.forbidden(
                        "spec.tolerations",
                        "existing toleration can not be modified except its tolerationSeconds");
                return;
            }
        }
    }

    private static boolean sameButSeconds(JsonNode left, JsonNode right) {
        return List.of("key", "operator", "value", "effect").stream()
                .allMatch(field -> Same.same(left.path(field), right.path(field)));
    }

    private static void rest(JsonNode now, JsonNode before, FieldErrors errors) {
        ObjectNode left = fixedPart(now);
        ObjectNode right = fixedPart(before);
        TreeSet<String> changed = new TreeSet<>();
        left.fieldNames().forEachRemaining(changed::add);
        right.fieldNames().forEachRemaining(changed::add);
        changed.removeIf(field -> Same.same(left.path(field), right.path(field)));
        boolean bound = changed.contains("nodeName")
                && KubeObject.text(before, "nodeName").isEmpty();
        if (!changed.isEmpty()) {
            errors.forbidden(
                    "spec",
                    ALLOWED + "; changed: " + String.join(", ", changed)
                            + (bound ? " (a pod gets its node through its binding)" : ""));
        }
    }

    private static ObjectNode fixedPart(JsonNode spec) {
        ObjectNode copy = spec.deepCopy();
        for (String list : List.of("containers", "initContainers")) {
            copy.path(list).forEach(container -> ((ObjectNode) container).remove("image"));
        }
        copy.remove(List.of("activeDeadlineSeconds", "tolerations"));
        if (copy.path("terminationGracePeriodSeconds").asLong() <= 1
                && spec.path("terminationGracePeriodSeconds").asLong() < 0) {
            copy.put("terminationGracePeriodSeconds", 1);
        }
        return copy;
    }
}
