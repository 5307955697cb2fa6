package io.sluice.controllers.namespace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.ApiStatusException;
import io.sluice.api.client.KubeClient;
import io.sluice.api.client.ListOptions;
import io.sluice.api.client.WatchListener;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.TreeDecoder;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.controllers.ApiResource;
import io.sluice.controllers.namespace.NamespacePlanner.Findings;
import io.sluice.controllers.queue.WorkQueue;
import io.sluice.controllers.queue.Worker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Watches namespaces; one that is being deleted is emptied, pods first, and then finalized. */
public final class NamespaceController implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceController.class);
    private static final GroupVersionResource NAMESPACES =
            new GroupVersionResource("", "v1", "namespaces");
    private static final Duration RECHECK = Duration.ofSeconds(1);

    private final KubeClient client;
    private final Clock clock;
    private final List<ApiResource> resources;
    private final WorkQueue<String> queue = new WorkQueue<>(System::nanoTime);
    private final Worker<String> worker;
    private final KubeClient.Watch watch;

    /** @param all every collection the server has */
    public NamespaceController(KubeClient client, Clock clock, List<ApiResource> all) {
        this.client = client;
        this.clock = clock;
        this.resources = all.stream()
                .filter(resource -> resource.namespaced() && resource.isDeletable())
                .sorted(Comparator.comparing(
                        resource -> !resource.resource().resource().equals("pods")))
                .toList();
        this.worker = new Worker<>("namespace controller", queue, this::reconcile);
        this.watch = client.watch(NAMESPACES, ListOptions.ALL, new TreeDecoder(), new Namespaces());
    }

    private void reconcile(String name) throws IOException {
        ObjectNode tree;
        try {
            tree = client.get(NAMESPACES, new NamespacedName("", name));
        } catch (ApiStatusException e) {
            if (e.isNotFound()) {
                return;
            }
            throw e;
        }
        if (!KubeObject.of(tree).isDeleting()) {
            return;
        }
        Findings findings = empty(name);
        if (findings.isEmpty()) {
            finalizeNamespace(tree);
            return;
        }
        updateConditions(tree, findings);
        queue.addAfter(name, RECHECK);
    }

    /** Tells every object to go, and counts those that are still there. */
    private Findings empty(String namespace) {
        Map<String, Integer> remaining = new HashMap<>();
        Map<String, Integer> finalizers = new HashMap<>();
        List<String> failures = new ArrayList<>();
        for (ApiResource resource : resources) {
            try {
                empty(namespace, resource, remaining, finalizers);
            } catch (IOException e) {
                // One collection that cannot be listed must not keep the others.
                failures.add(resource.resource().groupResource() + ": " + e.getMessage());
            }
        }
        return new Findings(remaining, finalizers, failures);
    }

    private void empty(
            String namespace,
            ApiResource resource,
            Map<String, Integer> remaining,
            Map<String, Integer> finalizers)
            throws IOException {
        ListOptions inNamespace = ListOptions.inNamespace(namespace);
        for (ObjectNode item : client.list(resource.resource(), inNamespace)) {
            KubeObject object = KubeObject.of(item);
            if (!object.isDeleting()) {
                delete(resource, object);
            }
        }
        for (ObjectNode item : client.list(resource.resource(), inNamespace)) {
            remaining.merge(resource.resource().groupResource(), 1, Integer::sum);
            KubeObject.of(item)
                    .finalizers()
                    .forEach(finalizer -> finalizers.merge(finalizer, 1, Integer::sum));
        }
    }

    private void delete(ApiResource resource, KubeObject object) throws IOException {
        try {
            client.delete(
                    resource.resource(),
                    object.id(),
                    Json.object()
                            .put("apiVersion", "v1")
                            .put("kind", "DeleteOptions")
                            .put("propagationPolicy", "Background"));
        } catch (ApiStatusException e) {
            if (!e.isNotFound()) {
                throw e;
            }
        }
    }

    private void finalizeNamespace(ObjectNode tree) throws IOException {
        ArrayNode kept = Json.MAPPER.createArrayNode();
        tree.path("spec").path("finalizers").forEach(finalizer -> {
            if (!finalizer.asText().equals("kubernetes")) {
                kept.add(finalizer);
            }
        });
        KubeObject.child(tree, "spec").set("finalizers", kept);
        try {
            client.update(NAMESPACES, tree, "finalize");
            LOG.info("namespace {} is empty and gone", KubeObject.of(tree).name());
        } catch (ApiStatusException e) {
            if (!e.isNotFound()) {
                throw e;
            }
        }
    }

    private void updateConditions(ObjectNode tree, Findings findings) throws IOException {
        List<ObjectNode> wanted =
                NamespacePlanner.conditions(findings, Rfc3339.seconds(clock.instant()));
        List<ObjectNode> present = new ArrayList<>();
        tree.path("status").path("conditions").forEach(condition -> {
            if (condition instanceof ObjectNode object) {
                present.add(object);
            }
        });
        if (NamespacePlanner.same(wanted, present)) {
            return;
        }
        ArrayNode conditions = KubeObject.child(tree, "status").putArray("conditions");
        wanted.forEach(conditions::add);
        client.update(NAMESPACES, tree, "status");
    }

    @Override
    public void close() {
        watch.close();
        worker.close();
    }

    private final class Namespaces implements WatchListener<ObjectNode> {
        @Override
        public void onUpsert(ObjectNode tree) {
            KubeObject namespace = KubeObject.of(tree);
            if (namespace.isDeleting()) {
                queue.add(namespace.name());
            }
        }

        @Override
        public void onDelete(NamespacedName name) {}

        @Override
        public void onSynced() {}

        @Override
        public void onProblem(String problem) {
            LOG.info("namespace controller: {}", problem);
        }
    }
}
