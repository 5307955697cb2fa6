package io.sluice.api.meta;

/**
 * What names one object of a kind.
 *
 * @param namespace empty for cluster-scoped objects
 * @param name never empty
 */
public record NamespacedName(String namespace, String name) implements Comparable<NamespacedName> {

    @Override
    public int compareTo(NamespacedName other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }

    /** {@code namespace/name}, or just the name where there is no namespace. */
    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + '/' + name;
    }
}
