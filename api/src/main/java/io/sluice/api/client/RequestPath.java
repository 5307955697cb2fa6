package io.sluice.api.client;

import io.sluice.api.meta.GroupVersionResource;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Builds paths and queries. */
final class RequestPath {
    private final StringBuilder out;
    private boolean query;

    private RequestPath(String path) {
        out = new StringBuilder(path);
        query = path.indexOf('?') >= 0;
    }

    static RequestPath collection(GroupVersionResource resource, String namespace) {
        return new RequestPath(resource.path(encode(namespace)));
    }

    RequestPath item(String name, String subresource) {
        out.append('/').append(encode(name));
        if (!subresource.isEmpty()) {
            out.append('/').append(subresource);
        }
        return this;
    }

    /** Adds a parameter; an empty value adds nothing. */
    RequestPath with(String parameter, String value) {
        if (!value.isEmpty()) {
            out.append(query ? '&' : '?').append(parameter).append('=').append(encode(value));
            query = true;
        }
        return this;
    }

    RequestPath with(ListOptions options) {
        return with("labelSelector", options.labelSelector())
                .with("fieldSelector", options.fieldSelector());
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
