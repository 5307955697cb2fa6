package io.sluice.api.client;

/**
 * What to list or watch.
 *
 * @param namespace empty for all, or for cluster-scoped kinds
 * @param labelSelector in text form; empty for all
 * @param fieldSelector in text form; empty for all
 */
public record ListOptions(String namespace, String labelSelector, String fieldSelector) {
    public static final ListOptions ALL = new ListOptions("", "", "");

    public static ListOptions inNamespace(String namespace) {
        return new ListOptions(namespace, "", "");
    }
}
