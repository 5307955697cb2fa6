package io.sluice.apiserver.rest;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.sluice.api.meta.GroupVersionResource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a request's path names. Pure. */
public sealed interface ApiPath {

    /**
     * An object, a collection or a subresource.
     *
     * @param name empty for a collection
     * @param subresource empty for the object itself
     */
    record OfResource(
            GroupVersionResource resource, String namespace, String name, String subresource)
            implements ApiPath {
        public boolean isCollection() {
            return name.isEmpty();
        }
    }

    /** Anything else. @param path decoded, without a slash at the end */
    record Other(String path) implements ApiPath {}

    /** @param uri path and query as sent */
    static ApiPath of(String uri) {
        int mark = uri.indexOf('?');
        String raw = mark < 0 ? uri : uri.substring(0, mark);
        List<String> parts = new ArrayList<>();
        for (String part : raw.split("/")) {
            if (!part.isEmpty()) {
                parts.add(decode(part));
            }
        }
        if (parts.size() >= 3 && parts.get(0).equals("api")) {
            return resource("", parts.get(1), parts.subList(2, parts.size()));
        }
        if (parts.size() >= 4 && parts.get(0).equals("apis")) {
            return resource(parts.get(1), parts.get(2), parts.subList(3, parts.size()));
        }
        return new Other('/' + String.join("/", parts));
    }

    private static String decode(String part) {
        try {
            return QueryStringDecoder.decodeComponent(
                    part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return part;
        }
    }

    /** {@code namespaces/x/status} is the Namespace's; {@code namespaces/x/pods} are Pods. */
    private static ApiPath resource(String group, String version, List<String> rest) {
        boolean namespaced = rest.get(0).equals("namespaces") && rest.size() >= 3;
        boolean ofNamespace =
                namespaced && (rest.get(2).equals("status") || rest.get(2).equals("finalize"));
        String namespace = namespaced && !ofNamespace ? rest.get(1) : "";
        List<String> own = namespaced && !ofNamespace ? rest.subList(2, rest.size()) : rest;
        return new OfResource(
                new GroupVersionResource(group, version, own.get(0)),
                namespace,
                own.size() > 1 ? own.get(1) : "",
                own.size() > 2 ? String.join("/", own.subList(2, own.size())) : "");
    }
}
