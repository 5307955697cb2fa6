package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.Names;
import io.sluice.api.object.KubeObject;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** {@code metadata} of every kind. */
public final class MetadataValidation {
    private static final int MAX_ANNOTATIONS = 256 * 1024;

    private MetadataValidation() {}

    /** @param nameRule what is wrong with a name; empty: nothing */
    public static void validate(
            ObjectNode object,
            boolean namespaced,
            Function<String, List<String>> nameRule,
            FieldErrors errors) {
        JsonNode metadata = object.path("metadata");
        String name = KubeObject.text(metadata, "name");
        String generate = KubeObject.text(metadata, "generateName");
        if (!generate.isEmpty()) {
            errors.invalid("metadata.generateName", generate, prefixProblems(generate, nameRule));
        }
        if (name.isEmpty()) {
            errors.required("metadata.name", "name or generateName is required");
        } else {
            errors.invalid("metadata.name", name, nameRule.apply(name));
        }
        validateNamespace(KubeObject.text(metadata, "namespace"), namespaced, errors);
        if (metadata.path("generation").asLong() < 0) {
            errors.invalid(
                    "metadata.generation",
                    metadata.path("generation"),
                    "must be greater than or equal to 0");
        }
        labels(metadata.path("labels"), "metadata.labels", errors);
        annotations(metadata.path("annotations"), errors);
        owners(metadata.path("ownerReferences"), errors);
        finalizers(metadata.path("finalizers"), errors);
    }

    /** A prefix may end with a dash, which the generated name follows up. */
    private static List<String> prefixProblems(
            String prefix, Function<String, List<String>> nameRule) {
        boolean dash = prefix.length() > 1 && prefix.endsWith("-");
        return nameRule.apply(dash ? prefix.substring(0, prefix.length() - 1) + 'a' : prefix);
    }

    private static void validateNamespace(
            String namespace, boolean namespaced, FieldErrors errors) {
        if (!namespaced) {
            if (!namespace.isEmpty()) {
                errors.forbidden("metadata.namespace", "not allowed on this type");
            }
        } else if (namespace.isEmpty()) {
            errors.required("metadata.namespace", "");
        } else {
            errors.invalid("metadata.namespace", namespace, Names.dnsLabel(namespace));
        }
    }

    /** Labels, and selectors that are plain labels. */
    public static void labels(JsonNode labels, String field, FieldErrors errors) {
        KubeObject.map(labels).forEach((key, value) -> {
            errors.invalid(field, key, Names.qualifiedName(key));
            errors.invalid(field, value, Names.labelValue(value));
        });
    }

    private static void annotations(JsonNode annotations, FieldErrors errors) {
        long size = 0;
        for (Map.Entry<String, String> entry : KubeObject.map(annotations).entrySet()) {
            String key = entry.getKey();
            errors.invalid(
                    "metadata.annotations",
                    key,
                    Names.qualifiedName(key.toLowerCase(java.util.Locale.ROOT)));
            size += utf8(key) + utf8(entry.getValue());
        }
        if (size > MAX_ANNOTATIONS) {
            errors.tooLong("metadata.annotations", MAX_ANNOTATIONS);
        }
    }

    static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void owners(JsonNode owners, FieldErrors errors) {
        String controller = "";
        for (int i = 0; i < owners.size(); i++) {
            JsonNode owner = owners.get(i);
            String field = "metadata.ownerReferences[" + i + ']';
            if (KubeObject.text(owner, "apiVersion").isEmpty()) {
                errors.invalid(field + ".apiVersion", "", "version must not be empty");
            }
            for (String part : List.of("kind", "name", "uid")) {
                if (KubeObject.text(owner, part).isEmpty()) {
                    errors.invalid(field + '.' + part, "", part + " must not be empty");
                }
            }
            if (owner.path("controller").asBoolean()) {
                if (!controller.isEmpty()) {
                    errors.invalid(
                            "metadata.ownerReferences",
                            owners,
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + KubeObject.text(owner, "name"));
                }
                controller = KubeObject.text(owner, "name");
            }
        }
    }

    private static void finalizers(JsonNode finalizers, FieldErrors errors) {
        boolean orphan = false;
        boolean foreground = false;
        for (int i = 0; i < finalizers.size(); i++) {
            String finalizer = finalizers.get(i).asText();
            errors.invalid(
                    "metadata.finalizers[" + i + ']', finalizer, finalizerProblems(finalizer));
            orphan |= finalizer.equals("orphan");
            foreground |= finalizer.equals("foregroundDeletion");
        }
        if (orphan && foreground) {
            errors.invalid(
                    "metadata.finalizers",
                    finalizers,
                    "finalizer orphan and foregroundDeletion cannot be both set");
        }
    }

    static List<String> finalizerProblems(String finalizer) {
        List<String> problems = Names.qualifiedName(finalizer);
        boolean standard = finalizer.equals("orphan")
                || finalizer.equals("foregroundDeletion")
                || finalizer.equals("kubernetes");
        return problems.isEmpty() && !finalizer.contains("/") && !standard
                ? List.of("name is neither a standard finalizer name nor is it fully qualified")
                : problems;
    }

    /** What an update may not change. */
    public static void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        JsonNode now = object.path("metadata");
        JsonNode before = old.path("metadata");
        for (String field : List.of(
                "name",
                "namespace",
                "uid",
                "creationTimestamp",
                "deletionTimestamp",
                "deletionGracePeriodSeconds")) {
            errors.immutable("metadata." + field, now.path(field), before.path(field));
        }
        if (now.path("generation").asLong() < before.path("generation").asLong()) {
            errors.invalid(
                    "metadata.generation", now.path("generation"), "must not be decremented");
        }
        newFinalizers(now, before, errors);
    }

    private static void newFinalizers(JsonNode now, JsonNode before, FieldErrors errors) {
        if (Same.empty(before.path("deletionTimestamp"))) {
            return;
        }
        for (JsonNode finalizer : now.path("finalizers")) {
            boolean known = false;
            for (JsonNode other : before.path("finalizers")) {
                known |= other.equals(finalizer);
            }
            if (!known) {
                errors.forbidden(
                        "metadata.finalizers",
                        "no new finalizers can be added if the object is being deleted, found new finalizers "
                                + finalizer);
            }
        }
    }
}
