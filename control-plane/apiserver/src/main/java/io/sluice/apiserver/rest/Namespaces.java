package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.watchcache.StoredJson;
import io.sluice.store.Store;

import java.io.IOException;
import java.util.Optional;

/** The life of Namespaces, as far as it decides what may be created: nothing in one that is missing or going. */
final class Namespaces {
    static final GroupVersionResource RESOURCE = new GroupVersionResource("", "v1", "namespaces");

    private final Store store;
    private final Kind kind;

    Namespaces(Store store, Kind kind) {
        this.store = store;
        this.kind = kind;
    }

    static boolean isNamespace(Kind kind) {
        return kind.resource().equals(RESOURCE);
    }

    /**
     * Must hold when the object is stored, so that no object appears in a Namespace that goes at the same moment.
     *
     * @throws ApiException 404 or 403
     */
    Store.Condition admit(Kind of, String namespace, String name) {
        String key = kind.key("", namespace);
        Optional<Store.Entry> found = store.get(key, 0);
        if (found.isEmpty()) {
            throw Statuses.notFound(RESOURCE, namespace);
        }
        if (isGoing(found.get())) {
            ApiException refusal = Statuses.forbidden(
                    of.resource(),
                    name,
                    "unable to create new content in namespace " + namespace
                            + " because it is being terminated");
            KubeObject.child(refusal.status(), "details")
                    .putArray("causes")
                    .addObject()
                    .put("reason", "NamespaceTerminating")
                    .put("message", "namespace " + namespace + " is being terminated")
                    .put("field", "metadata.namespace");
            throw refusal;
        }
        return new Store.Condition(key, found.get().modRevision());
    }

    private static boolean isGoing(Store.Entry namespace) {
        try {
            ObjectNode tree = StoredJson.decode(namespace.value(), namespace.modRevision());
            return KubeObject.of(tree).isDeleting();
        } catch (IOException e) {
            return false;
        }
    }
}
