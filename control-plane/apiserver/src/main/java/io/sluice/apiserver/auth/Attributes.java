package io.sluice.apiserver.auth;

import io.sluice.api.meta.GroupVersionResource;

/** What a request wants, as authorization sees it. */
public sealed interface Attributes {

    /** In the words of roles: {@code get}, {@code list}, {@code create} … */
    String verb();

    /** @param subresource empty for the object itself; @param name empty for a collection */
    record OfResource(
            String verb,
            GroupVersionResource resource,
            String subresource,
            String namespace,
            String name)
            implements Attributes {

        /** {@code services/status}. */
        public String resourceText() {
            return subresource.isEmpty()
                    ? resource.resource()
                    : resource.resource() + '/' + subresource;
        }
    }

    /** A path that names no resource. */
    record OfPath(String verb, String path) implements Attributes {}
}
