package io.sluice.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.NamespacedName;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An object as its JSON tree, with readers and writers for what every object has. Reading never changes the tree; a missing or
 * mistyped field reads as empty. Not thread-safe while it is written to.
 */
public record KubeObject(ObjectNode tree) {

    public static KubeObject of(ObjectNode tree) {
        return new KubeObject(tree);
    }

    public GroupVersionKind kind() {
        return GroupVersionKind.of(text(tree, "apiVersion"), text(tree, "kind"));
    }

    public NamespacedName id() {
        return new NamespacedName(namespace(), name());
    }

    public String name() {
        return text(metadata(), "name");
    }

    public String namespace() {
        return text(metadata(), "namespace");
    }

    public String generateName() {
        return text(metadata(), "generateName");
    }

    public String uid() {
        return text(metadata(), "uid");
    }

    public String resourceVersion() {
        return text(metadata(), "resourceVersion");
    }

    /** 0 where there is none. */
    public long generation() {
        return metadata().path("generation").asLong(0);
    }

    /** RFC 3339; empty where there is none. */
    public String creationTimestamp() {
        return text(metadata(), "creationTimestamp");
    }

    /** RFC 3339; empty while the object is not being deleted. */
    public String deletionTimestamp() {
        return text(metadata(), "deletionTimestamp");
    }

    public boolean isDeleting() {
        return !deletionTimestamp().isEmpty();
    }

    public Map<String, String> labels() {
        return map(metadata().path("labels"));
    }

    public Map<String, String> annotations() {
        return map(metadata().path("annotations"));
    }

    public List<String> finalizers() {
        List<String> out = new ArrayList<>();
        metadata().path("finalizers").forEach(item -> out.add(item.asText()));
        return out;
    }

    public List<OwnerReference> ownerReferences() {
        List<OwnerReference> out = new ArrayList<>();
        for (JsonNode item : metadata().path("ownerReferences")) {
            out.add(new OwnerReference(
                    GroupVersionKind.of(text(item, "apiVersion"), text(item, "kind")),
                    text(item, "name"),
                    text(item, "uid"),
                    item.path("controller").asBoolean(false),
                    item.path("blockOwnerDeletion").asBoolean(false)));
        }
        return out;
    }

    /** The metadata, or an empty node that is not part of the tree. */
    public ObjectNode metadata() {
        return tree.get("metadata") instanceof ObjectNode metadata ? metadata : Json.object();
    }

    /** The metadata for writing; made where it is missing. */
    public ObjectNode metadataForUpdate() {
        return child(tree, "metadata");
    }

    /** The object's field as an object; made where it is missing or no object. */
    public static ObjectNode child(ObjectNode parent, String field) {
        if (parent.get(field) instanceof ObjectNode child) {
            return child;
        }
        return parent.putObject(field);
    }

    /** A text field; empty where it is missing or no text. */
    public static String text(JsonNode parent, String field) {
        JsonNode value = parent.path(field);
        return value.isTextual() ? value.textValue() : "";
    }

    /** All text values of an object, in their order; empty for any other node. */
    public static Map<String, String> map(JsonNode node) {
        if (!(node instanceof ObjectNode object) || object.isEmpty()) {
            return Map.of();
        }
        Map<String, String> out = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            if (entry.getValue().isTextual()) {
                out.put(entry.getKey(), entry.getValue().textValue());
            }
        }
        return out;
    }

    /** One entry of {@code metadata.ownerReferences}. */
    public record OwnerReference(
            GroupVersionKind kind,
            String name,
            String uid,
            boolean controller,
            boolean blockOwnerDeletion) {}
}
