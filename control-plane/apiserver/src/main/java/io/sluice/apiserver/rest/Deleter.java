package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.watchcache.StoredJson;
import io.sluice.store.Store;
import io.sluice.store.Store.CommitResult;
import io.sluice.store.Store.Condition;
import io.sluice.store.Store.Operation;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Deletes objects, or marks them where somebody must finish first. Edge; thread-safe. */
public final class Deleter {
    private static final String FOREGROUND = "foregroundDeletion";
    private static final String ORPHAN = "orphan";
    private static final Set<String> PROTECTED_NAMESPACES =
            Set.of("default", "kube-system", "kube-public");

    private final Store store;
    private final InstantSource clock;

    public Deleter(Store store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * How a delete ended.
     *
     * @param object as it was, or as it is now with its mark
     * @param gone false: it waits for finalizers or its grace period
     */
    public record Deleted(ObjectNode object, boolean gone) {}

    /** @throws io.sluice.apiserver.registry.ApiException 404, 409 where a precondition fails, 403 for what stays */
    public Deleted delete(Kind kind, String namespace, String name, DeleteOptions options) {
        if (Namespaces.isNamespace(kind) && PROTECTED_NAMESPACES.contains(name)) {
            throw Statuses.forbidden(kind.resource(), name, "this namespace may not be deleted");
        }
        String key = kind.key(namespace, name);
        while (true) {
            Store.Entry found =
                    store.get(key, 0).orElseThrow(() -> Statuses.notFound(kind.resource(), name));
            ObjectNode object = Writer.decode(kind, found);
            checkPreconditions(kind, name, object, options);
            Optional<Deleted> done = tryDelete(kind, found, object, options);
            if (done.isPresent()) {
                return done.get();
            }
        }
    }

    private static void checkPreconditions(
            Kind kind, String name, ObjectNode object, DeleteOptions options) {
        KubeObject view = KubeObject.of(object);
        check(kind, name, "UID", options.uid(), view.uid());
        check(kind, name, "ResourceVersion", options.version(), view.resourceVersion());
    }

    private static void check(Kind kind, String name, String what, String wanted, String found) {
        if (!wanted.isEmpty() && !wanted.equals(found)) {
            throw Statuses.conflict(
                    kind.resource(),
                    name,
                    "Precondition failed: " + what + " in precondition: " + wanted + ", " + what
                            + " in object meta: " + found);
        }
    }

    /** Empty where somebody else changed the object meanwhile. */
    private Optional<Deleted> tryDelete(
            Kind kind, Store.Entry found, ObjectNode object, DeleteOptions options) {
        ObjectNode before = object.deepCopy();
        setFinalizers(object, options);
        long grace =
                Math.max(0, kind.strategy().gracePeriodSeconds(object, options.graceSeconds()));
        boolean waits = grace > 0 || isHeld(kind, object);
        if (options.dryRun()) {
            return Optional.of(new Deleted(object, !waits));
        }
        if (!waits) {
            return remove(kind, found, before);
        }
        mark(kind, object, grace);
        byte[] bytes = StoredJson.encode(kind.convert().toStored(object));
        if (Arrays.equals(bytes, found.value())) {
            return Optional.of(new Deleted(object, false));
        }
        return switch (store.commit(
                conditions(found), List.of(new Operation.Put(found.key(), bytes)))) {
            case CommitResult.Committed committed -> {
                KubeObject.of(object)
                        .metadataForUpdate()
                        .put("resourceVersion", Long.toString(committed.revision()));
                yield Optional.of(new Deleted(object, false));
            }
            case CommitResult.Conflict _ -> Optional.empty();
        };
    }

    private Optional<Deleted> remove(Kind kind, Store.Entry found, ObjectNode object) {
        return switch (store.commit(
                conditions(found), List.of(new Operation.Delete(found.key())))) {
            case CommitResult.Committed _ -> {
                kind.strategy().release(object);
                yield Optional.of(new Deleted(object, true));
            }
            case CommitResult.Conflict _ -> Optional.empty();
        };
    }

    private static List<Condition> conditions(Store.Entry found) {
        return List.of(new Condition(found.key(), found.modRevision()));
    }

    private static void setFinalizers(ObjectNode object, DeleteOptions options) {
        if (options.propagation().isEmpty()) {
            return;
        }
        Set<String> all = new LinkedHashSet<>(KubeObject.of(object).finalizers());
        switch (options.propagation().get()) {
            case FOREGROUND -> {
                all.remove(ORPHAN);
                all.add(FOREGROUND);
            }
            case ORPHAN -> {
                all.remove(FOREGROUND);
                all.add(ORPHAN);
            }
            case BACKGROUND -> {
                all.remove(FOREGROUND);
                all.remove(ORPHAN);
            }
        }
        ObjectNode metadata = KubeObject.of(object).metadataForUpdate();
        metadata.remove("finalizers");
        if (!all.isEmpty()) {
            ArrayNode out = metadata.putArray("finalizers");
            all.forEach(out::add);
        }
    }

    /** A shorter grace period shortens one that runs, a longer one does not lengthen it. */
    private void mark(Kind kind, ObjectNode object, long grace) {
        ObjectNode metadata = KubeObject.of(object).metadataForUpdate();
        boolean marked = metadata.has("deletionTimestamp");
        long running = metadata.path("deletionGracePeriodSeconds").asLong(0);
        if (!marked || grace < running) {
            Instant at = marked
                    ? Rfc3339.parse(KubeObject.text(metadata, "deletionTimestamp"))
                            .orElseGet(clock::instant)
                            .minusSeconds(running)
                    : clock.instant();
            metadata.put("deletionTimestamp", Rfc3339.seconds(at.plusSeconds(grace)));
            metadata.put("deletionGracePeriodSeconds", grace);
        }
        long generation = metadata.path("generation").asLong(0);
        if (!marked && generation > 0) {
            metadata.put("generation", generation + 1);
        }
        if (Namespaces.isNamespace(kind)) {
            KubeObject.child(object, "status").put("phase", "Terminating");
        }
    }

    /** Somebody must finish first. */
    private static boolean isHeld(Kind kind, ObjectNode object) {
        boolean bySpec = Namespaces.isNamespace(kind)
                && !object.path("spec").path("finalizers").isEmpty();
        return bySpec || !KubeObject.of(object).finalizers().isEmpty();
    }

    /** Marked, and nobody and no grace period holds it any more. */
    static boolean isFinished(Kind kind, ObjectNode object) {
        KubeObject view = KubeObject.of(object);
        return view.isDeleting()
                && !isHeld(kind, object)
                && view.metadata().path("deletionGracePeriodSeconds").asLong(0) == 0;
    }
}
