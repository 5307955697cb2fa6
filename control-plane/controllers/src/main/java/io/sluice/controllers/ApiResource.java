package io.sluice.controllers;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.GroupVersionResource;

import java.util.Set;

/** A collection the server has, as discovery tells it. */
public record ApiResource(
        GroupVersionResource resource,
        GroupVersionKind kind,
        boolean namespaced,
        Set<String> verbs) {

    /** Whether its objects can be found and removed. */
    public boolean isDeletable() {
        return verbs.contains("list") && verbs.contains("watch") && verbs.contains("delete");
    }
}
