package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;

import io.sluice.api.meta.NamespacedName;

import java.io.IOException;

/** The metadata fields decoders need; filled while one object is read. */
final class MetaReader {
    /** Learns of labels and annotations; must consume the value. */
    @FunctionalInterface
    interface EntryHandler {
        void read(String map, String key, JsonParser parser) throws IOException;
    }

    private String namespace = "";
    private String name = "";
    private String uid = "";
    private String resourceVersion = "";
    private boolean deleting;

    void read(JsonParser parser, EntryHandler entries) throws IOException {
        FieldReader.object(parser, (field, p) -> {
            switch (field) {
                case "name" -> name = FieldReader.text(p);
                case "namespace" -> namespace = FieldReader.text(p);
                case "uid" -> uid = FieldReader.text(p);
                case "resourceVersion" -> resourceVersion = FieldReader.text(p);
                case "deletionTimestamp" -> deleting = !FieldReader.text(p).isEmpty();
                case "labels", "annotations" ->
                    FieldReader.object(p, (key, q) -> entries.read(field, key, q));
                default -> p.skipChildren();
            }
        });
    }

    NamespacedName id() {
        return new NamespacedName(namespace, name);
    }

    String uid() {
        return uid;
    }

    String resourceVersion() {
        return resourceVersion;
    }

    boolean deleting() {
        return deleting;
    }
}
