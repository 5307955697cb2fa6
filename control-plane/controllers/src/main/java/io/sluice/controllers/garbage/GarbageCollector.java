package io.sluice.controllers.garbage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.ApiStatusException;
import io.sluice.api.client.KubeClient;
import io.sluice.api.client.ListOptions;
import io.sluice.api.client.PatchType;
import io.sluice.api.client.WatchListener;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.TreeDecoder;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.api.object.KubeObject.OwnerReference;
import io.sluice.controllers.ApiResource;
import io.sluice.controllers.garbage.GarbagePlanner.Step;
import io.sluice.controllers.queue.WorkQueue;
import io.sluice.controllers.queue.Worker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Watches every collection but events and looks at an object whenever it, an owner or a dependent changes. A kind that cannot be listed
 * holds up nothing but itself.
 */
public final class GarbageCollector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GarbageCollector.class);

    private final KubeClient client;
    private final List<ApiResource> resources;
    private final OwnerGraph graph = new OwnerGraph();
    private final WorkQueue<String> queue = new WorkQueue<>(System::nanoTime);
    private final Worker<String> worker;
    private final List<KubeClient.Watch> watches = new ArrayList<>();

    /** @param all every collection the server has */
    public GarbageCollector(KubeClient client, List<ApiResource> all) {
        this.client = client;
        this.resources = all.stream()
                .filter(resource -> resource.isDeletable()
                        && !resource.resource().resource().equals("events"))
                .toList();
        this.worker = new Worker<>("garbage collector", queue, this::reconcile);
        for (ApiResource resource : resources) {
            watches.add(client.watch(
                    resource.resource(),
                    ListOptions.ALL,
                    new TreeDecoder(),
                    new Objects(resource)));
        }
    }

    private void reconcile(String uid) throws IOException {
        Optional<GraphObject> found = graph.find(uid);
        if (found.isEmpty()) {
            return;
        }
        GraphObject object = found.get();
        List<Step> steps;
        try {
            steps = GarbagePlanner.plan(
                    object,
                    graph.dependentsOf(uid),
                    owner -> exists(object, owner),
                    owner -> waits(object, owner));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Step step : steps) {
            carryOut(step);
        }
    }

    /** The graph may be behind, so an owner it does not have is looked up; owners live in the object's namespace or in none. */
    private boolean exists(GraphObject object, OwnerReference owner) {
        Optional<GraphObject> known = graph.find(owner.uid());
        if (known.isPresent()) {
            return sameScope(object, known.get());
        }
        Optional<ApiResource> resource = resource(owner);
        if (resource.isEmpty()) {
            return true; // a kind we do not know: nothing may be concluded from not seeing it
        }
        String namespace = resource.get().namespaced() ? object.name().namespace() : "";
        try {
            ObjectNode live = client.get(
                    resource.get().resource(), new NamespacedName(namespace, owner.name()));
            return KubeObject.of(live).uid().equals(owner.uid());
        } catch (ApiStatusException e) {
            if (e.isNotFound()) {
                return false;
            }
            throw new UncheckedIOException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean sameScope(GraphObject object, GraphObject owner) {
        boolean same = !owner.resource().namespaced()
                || owner.name().namespace().equals(object.name().namespace());
        if (!same) {
            LOG.warn(
                    "OwnerRefInvalidNamespace: {} names {} as its owner, which is in another namespace; treated as gone",
                    object,
                    owner);
        }
        return same;
    }

    private boolean waits(GraphObject object, OwnerReference owner) {
        return owner.blockOwnerDeletion()
                && graph.find(owner.uid())
                        .filter(GraphObject::waitsForDependents)
                        .isPresent();
    }

    private Optional<ApiResource> resource(OwnerReference owner) {
        return resources.stream()
                .filter(resource -> resource.kind().group().equals(owner.kind().group())
                        && resource.kind().kind().equals(owner.kind().kind()))
                .findFirst();
    }

    private void carryOut(Step step) throws IOException {
        try {
            switch (step) {
                case Step.Delete delete -> delete(delete.object(), delete.foreground());
                case Step.DropReferences drop -> dropReferences(drop.object(), drop.ownerUids());
                case Step.RemoveFinalizer remove ->
                    removeFinalizer(remove.object(), remove.finalizer());
            }
        } catch (ApiStatusException e) {
            if (!e.isNotFound()) {
                throw e;
            }
        }
    }

    private void delete(GraphObject object, boolean foreground) throws IOException {
        ObjectNode options = Json.object()
                .put("apiVersion", "v1")
                .put("kind", "DeleteOptions")
                .put("propagationPolicy", foreground ? "Foreground" : "Background");
        options.putObject("preconditions").put("uid", object.uid());
        client.delete(object.resource().resource(), object.name(), options);
        LOG.info("garbage collector: deleted {}, which belongs to nothing any more", object);
    }

    private void dropReferences(GraphObject object, Set<String> ownerUids) throws IOException {
        rewrite(
                object,
                "ownerReferences",
                item -> !ownerUids.contains(KubeObject.text(item, "uid")));
    }

    private void removeFinalizer(GraphObject object, String finalizer) throws IOException {
        rewrite(object, "finalizers", item -> !item.asText().equals(finalizer));
    }

    /** Replaces a list of the metadata by what of it is kept, if the object has not changed meanwhile. */
    private void rewrite(
            GraphObject object, String field, java.util.function.Predicate<JsonNode> kept)
            throws IOException {
        KubeObject live = KubeObject.of(client.get(object.resource().resource(), object.name()));
        if (!live.uid().equals(object.uid())) {
            return;
        }
        ObjectNode patch = Json.object();
        ObjectNode metadata = patch.putObject("metadata")
                .put("uid", live.uid())
                .put("resourceVersion", live.resourceVersion());
        ArrayNode list = metadata.putArray(field);
        live.metadata().path(field).forEach(item -> {
            if (kept.test(item)) {
                list.add(item);
            }
        });
        client.patch(object.resource().resource(), object.name(), "", PatchType.MERGE, patch);
    }

    @Override
    public void close() {
        watches.forEach(KubeClient.Watch::close);
        worker.close();
    }

    private final class Objects implements WatchListener<ObjectNode> {
        private final ApiResource resource;

        Objects(ApiResource resource) {
            this.resource = resource;
        }

        @Override
        public void onUpsert(ObjectNode tree) {
            graph.put(GraphObject.of(resource, tree)).forEach(queue::add);
        }

        @Override
        public void onDelete(NamespacedName name) {
            graph.remove(resource.resource(), name).forEach(queue::add);
        }

        @Override
        public void onSynced() {}

        @Override
        public void onProblem(String problem) {
            LOG.info("garbage collector: {}", problem);
        }
    }
}
