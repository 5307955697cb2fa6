package io.sluice.api.meta;

/**
 * Names a kind, as in {@code apiVersion} and {@code kind} of every object.
 *
 * @param group empty for the core group
 */
public record GroupVersionKind(String group, String version, String kind) {

    /** From an object's {@code apiVersion} ({@code v1}, {@code apps/v1}) and {@code kind}. */
    public static GroupVersionKind of(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        return slash < 0
                ? new GroupVersionKind("", apiVersion, kind)
                : new GroupVersionKind(
                        apiVersion.substring(0, slash), apiVersion.substring(slash + 1), kind);
    }

    /** {@code v1} or {@code apps/v1}. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + '/' + version;
    }

    @Override
    public String toString() {
        return apiVersion() + ", Kind=" + kind;
    }
}
