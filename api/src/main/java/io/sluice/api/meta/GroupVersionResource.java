package io.sluice.api.meta;

/**
 * Names a collection, as in a request path.
 *
 * @param group empty for the core group
 * @param resource the plural, in lower case: {@code services}
 */
public record GroupVersionResource(String group, String version, String resource) {

    /** {@code v1} or {@code discovery.k8s.io/v1}. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + '/' + version;
    }

    /** {@code services} or {@code endpointslices.discovery.k8s.io}: the form error texts use. */
    public String groupResource() {
        return group.isEmpty() ? resource : resource + '.' + group;
    }

    /** Path of the collection: {@code /api/v1/namespaces/default/services}; no namespace where it is empty. */
    public String path(String namespace) {
        String root = group.isEmpty() ? "/api/" + version : "/apis/" + group + '/' + version;
        return namespace.isEmpty()
                ? root + '/' + resource
                : root + "/namespaces/" + namespace + '/' + resource;
    }

    @Override
    public String toString() {
        return apiVersion() + '/' + resource;
    }
}
