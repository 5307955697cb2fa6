package io.sluice.api.model;

import io.sluice.api.meta.NamespacedName;

/**
 * One object as a watch needs it: what names it, its version, and its value.
 *
 * @param resourceVersion empty where the object has none
 */
public record Decoded<T>(NamespacedName name, String resourceVersion, T value) {}
