package io.sluice.apiserver.watchcache;

import io.sluice.api.selector.FieldSelector;
import io.sluice.api.selector.LabelSelector;

/** Which objects of a cache are meant. @param namespace empty for all */
public record Selection(String namespace, LabelSelector labels, FieldSelector fields) {

    public boolean matches(Item item) {
        return (namespace.isEmpty() || namespace.equals(item.namespace()))
                && labels.matches(item.labels())
                && fields.matches(path -> value(item, path));
    }

    private static String value(Item item, String path) {
        return switch (path) {
            case "metadata.name" -> item.name();
            case "metadata.namespace" -> item.namespace();
            default -> item.fields().getOrDefault(path, "");
        };
    }

    /** Everything in the namespace is meant. */
    public boolean isUnfiltered() {
        return labels.isEverything() && fields.isEverything();
    }
}
