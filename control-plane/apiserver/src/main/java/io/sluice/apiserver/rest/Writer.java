package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.watchcache.StoredJson;
import io.sluice.store.Store;
import io.sluice.store.Store.CommitResult;
import io.sluice.store.Store.Condition;
import io.sluice.store.Store.Operation;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * Creates and changes objects: admit, prepare, validate, reserve, store. Edge; thread-safe: the store's conditions decide between
 * writers, nothing here does.
 */
public final class Writer {
    private static final int NAME_ATTEMPTS = 8;
    private static final int GENERATED_LENGTH = 5;
    private static final int MAX_GENERATED_BASE = 63 - GENERATED_LENGTH;
    private static final String NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    private static final int CONFLICT_ATTEMPTS = 5;

    /** Kinds whose PUT creates what is missing. */
    private static final Set<String> CREATED_BY_PUT =
            Set.of("endpoints", "events", "leases", "services");

    private final Store store;
    private final Namespaces namespaces;
    private final InstantSource clock;
    private final RandomGenerator random;

    public Writer(Store store, Registry registry, InstantSource clock, RandomGenerator random) {
        this.store = store;
        this.namespaces = new Namespaces(store, registry.require("", "v1", "namespaces"));
        this.clock = clock;
        this.random = random;
    }

    /**
     * Where a write goes, and how.
     *
     * @param warnings learns what the client should be told
     */
    public record Target(
            Kind kind,
            String namespace,
            String name,
            String subresource,
            WriteOptions options,
            Consumer<String> warnings) {
        boolean isStatus() {
            return subresource.equals("status");
        }

        boolean isFinalize() {
            return subresource.equals("finalize");
        }
    }

    /** @param created the object was not there before */
    public record Written(ObjectNode object, boolean created) {}

    /** @param object decoded and defaulted; becomes the writer's */
    public ObjectNode create(Target target, ObjectNode object) {
        Kind kind = target.kind();
        ObjectNode metadata = KubeObject.of(object).metadataForUpdate();
        placeInNamespace(target, metadata);
        if (!KubeObject.text(metadata, "resourceVersion").isEmpty()) {
            throw Statuses.badRequest("resourceVersion should not be set on objects to be created");
        }
        for (String field : List.of(
                "resourceVersion",
                "selfLink",
                "managedFields",
                "deletionTimestamp",
                "deletionGracePeriodSeconds")) {
            metadata.remove(field);
        }
        metadata.put("uid", randomUuid().toString());
        metadata.put("creationTimestamp", Rfc3339.seconds(clock.instant()));
        String base = KubeObject.text(metadata, "generateName");
        boolean generate = KubeObject.text(metadata, "name").isEmpty() && !base.isEmpty();
        kind.strategy().prepareForCreate(object);
        for (int attempt = 1; true; attempt++) {
            if (generate) {
                metadata.put("name", generateName(base));
            }
            String name = KubeObject.text(metadata, "name");
            Optional<ObjectNode> stored = tryCreate(target, object, name);
            if (stored.isPresent()) {
                return stored.get();
            }
            if (!generate) {
                throw Statuses.alreadyExists(kind.resource(), name);
            }
            if (attempt == NAME_ATTEMPTS) {
                throw Statuses.noFreeName(kind.resource(), name);
            }
        }
    }

    /** A random UUID of version 4, from the generator that was given. */
    private UUID randomUuid() {
        long high = random.nextLong() & 0xffffffffffff0fffL | 0x4000L;
        long low = random.nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low);
    }

    private String generateName(String base) {
        StringBuilder out = new StringBuilder(
                base.length() > MAX_GENERATED_BASE ? base.substring(0, MAX_GENERATED_BASE) : base);
        for (int i = 0; i < GENERATED_LENGTH; i++) {
            out.append(NAME_LETTERS.charAt(random.nextInt(NAME_LETTERS.length())));
        }
        return out.toString();
    }

    private static void placeInNamespace(Target target, ObjectNode metadata) {
        String given = KubeObject.text(metadata, "namespace");
        if (!target.kind().namespaced()) {
            metadata.remove("namespace");
        } else if (given.isEmpty()) {
            metadata.put("namespace", target.namespace());
        } else if (!given.equals(target.namespace())) {
            throw Statuses.badRequest("the namespace of the provided object does not match the"
                    + " namespace sent on the request");
        }
    }

    /** Empty where the name is taken. */
    private Optional<ObjectNode> tryCreate(Target target, ObjectNode object, String name) {
        Kind kind = target.kind();
        refuseInvalid(kind, name, kind.strategy().validate(object));
        kind.strategy().warnings(object).forEach(target.warnings());
        String key = kind.key(target.namespace(), name);
        while (true) {
            List<Condition> conditions = new ArrayList<>(List.of(new Condition(key, 0)));
            if (kind.namespaced()) {
                conditions.add(namespaces.admit(kind, target.namespace(), name));
            }
            if (store.get(key, 0).isPresent()) {
                return Optional.empty();
            }
            Attempt attempt = store(target, key, object, Optional.empty(), conditions);
            switch (attempt) {
                case Attempt.Done done -> {
                    return Optional.of(done.object());
                }
                case Attempt.Lost lost -> {
                    if (lost.key().equals(key)) {
                        return Optional.empty();
                    }
                }
            }
        }
    }

    /** How one try to store ended. */
    private sealed interface Attempt {
        record Done(ObjectNode object) implements Attempt {}

        /** Somebody else changed the key. */
        record Lost(String key) implements Attempt {}
    }

    private Attempt store(
            Target target,
            String key,
            ObjectNode object,
            Optional<ObjectNode> old,
            List<Condition> conditions) {
        Kind kind = target.kind();
        boolean dryRun = target.options().dryRun();
        Strategy.Reservation reservation =
                kind.strategy().reserve(object, old.orElse(null), dryRun);
        boolean kept = false;
        try {
            if (dryRun) {
                return new Attempt.Done(object);
            }
            byte[] bytes = StoredJson.encode(kind.convert().toStored(object));
            CommitResult result = store.commit(conditions, List.of(new Operation.Put(key, bytes)));
            return switch (result) {
                case CommitResult.Committed committed -> {
                    kept = true;
                    reservation.keep();
                    KubeObject.of(object)
                            .metadataForUpdate()
                            .put("resourceVersion", Long.toString(committed.revision()));
                    yield new Attempt.Done(object);
                }
                case CommitResult.Conflict conflict -> new Attempt.Lost(conflict.key());
            };
        } finally {
            if (!kept) {
                reservation.close();
            }
        }
    }

    private static void refuseInvalid(Kind kind, String name, List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw Statuses.invalid(kind.gvk(), name, errors);
        }
    }

    /**
     * Replaces the object.
     *
     * @param fresh makes the new object anew for each try
     */
    public Written update(Target target, Fresh fresh) {
        Kind kind = target.kind();
        String key = kind.key(target.namespace(), target.name());
        while (true) {
            Optional<Store.Entry> found = store.get(key, 0);
            ObjectNode object = fresh.object();
            ObjectNode metadata = KubeObject.of(object).metadataForUpdate();
            placeInNamespace(target, metadata);
            checkName(target, metadata);
            String version = KubeObject.text(metadata, "resourceVersion");
            if (found.isEmpty()) {
                boolean creates = CREATED_BY_PUT.contains(kind.resource().resource())
                        && target.subresource().isEmpty()
                        && version.isEmpty();
                if (!creates) {
                    throw Statuses.notFound(kind.resource(), target.name());
                }
                return new Written(create(target, object), true);
            }
            checkVersion(kind, target.name(), version, found.get());
            Optional<ObjectNode> done = replace(target, key, found.get(), object);
            if (done.isPresent()) {
                return new Written(done.get(), false);
            }
            if (!version.isEmpty() && !version.equals("0")) {
                throw Statuses.modified(kind.resource(), target.name());
            }
        }
    }

    /** Makes an object from the same request again and again: a failed try may have changed the last one. */
    @FunctionalInterface
    public interface Fresh {
        ObjectNode object();
    }

    private static void checkName(Target target, ObjectNode metadata) {
        String name = KubeObject.text(metadata, "name");
        if (name.isEmpty()) {
            metadata.put("name", target.name());
        } else if (!name.equals(target.name())) {
            throw Statuses.badRequest("the name of the object (" + name
                    + ") does not match the name on the URL (" + target.name() + ")");
        }
    }

    private static void checkVersion(Kind kind, String name, String version, Store.Entry current) {
        boolean unset = version.isEmpty() || version.equals("0");
        if (unset && kind.gvk().kind().equals("Lease")) {
            throw Statuses.invalid(
                    kind.gvk(),
                    name,
                    List.of(new FieldError(
                            FieldError.Type.INVALID,
                            "metadata.resourceVersion",
                            "Invalid value: 0: must be specified for an update")));
        }
        if (!unset && ReadOptions.parseVersion(version) != current.modRevision()) {
            throw Statuses.modified(kind.resource(), name);
        }
    }

    /** Applies a patch; tries again on what is there then, unless the patch itself names a version. */
    public ObjectNode patch(Target target, UnaryOperator<ObjectNode> patch) {
        Kind kind = target.kind();
        String key = kind.key(target.namespace(), target.name());
        for (int attempt = 1; true; attempt++) {
            Store.Entry found = store.get(key, 0)
                    .orElseThrow(() -> Statuses.notFound(kind.resource(), target.name()));
            ObjectNode object = patch.apply(current(kind, found));
            ObjectNode metadata = KubeObject.of(object).metadataForUpdate();
            placeInNamespace(target, metadata);
            checkName(target, metadata);
            String version = KubeObject.text(metadata, "resourceVersion");
            boolean named = !version.isEmpty()
                    && !version.equals("0")
                    && ReadOptions.parseVersion(version) != found.modRevision();
            if (named) {
                throw Statuses.modified(kind.resource(), target.name());
            }
            Optional<ObjectNode> done = replace(target, key, found, object);
            if (done.isPresent()) {
                return done.get();
            }
            if (attempt == CONFLICT_ATTEMPTS) {
                throw Statuses.modified(kind.resource(), target.name());
            }
        }
    }

    ObjectNode current(Kind kind, Store.Entry entry) {
        return decode(kind, entry);
    }

    /** The stored object in the kind's own form. */
    static ObjectNode decode(Kind kind, Store.Entry entry) {
        try {
            return kind.convert().fromStored(StoredJson.decode(entry.value(), entry.modRevision()));
        } catch (IOException e) {
            throw Statuses.internalError("the stored object " + entry.key() + " cannot be read: "
                    + Bodies.firstLine(e.getMessage()));
        }
    }

    /** One try; empty where somebody else was faster. */
    private Optional<ObjectNode> replace(
            Target target, String key, Store.Entry found, ObjectNode object) {
        Kind kind = target.kind();
        ObjectNode old = decode(kind, found);
        keepIdentity(kind, target.name(), object, old);
        prepare(target, object, old);
        List<FieldError> errors = new ArrayList<>(kind.strategy().validate(object));
        if (!target.isFinalize()) {
            errors.addAll(kind.strategy().validateUpdate(object, old));
        }
        refuseInvalid(kind, target.name(), errors);
        if (!target.isStatus()) {
            kind.strategy().warnings(object).forEach(target.warnings());
        }
        if (Deleter.isFinished(kind, object)) {
            return remove(target, found, object);
        }
        if (Arrays.equals(StoredJson.encode(kind.convert().toStored(object)), found.value())) {
            return Optional.of(object);
        }
        Attempt attempt = store(
                target,
                key,
                object,
                Optional.of(old),
                List.of(new Condition(key, found.modRevision())));
        return switch (attempt) {
            case Attempt.Done done -> Optional.of(done.object());
            case Attempt.Lost _ -> Optional.empty();
        };
    }

    private static void prepare(Target target, ObjectNode object, ObjectNode old) {
        Strategy strategy = target.kind().strategy();
        if (target.isFinalize()) {
            ObjectNode finalizers = KubeObject.child(object, "spec");
            ObjectNode spec = KubeObject.child(old.deepCopy(), "spec");
            spec.remove("finalizers");
            if (finalizers.has("finalizers")) {
                spec.set("finalizers", finalizers.get("finalizers"));
            }
            object.set("spec", spec);
            if (old.has("status")) {
                object.set("status", old.get("status"));
            }
        } else if (target.isStatus()) {
            strategy.prepareForStatusUpdate(object, old);
        } else {
            strategy.prepareForUpdate(object, old);
        }
    }

    /** What no client changes. */
    private static void keepIdentity(Kind kind, String name, ObjectNode object, ObjectNode old) {
        ObjectNode metadata = KubeObject.of(object).metadataForUpdate();
        ObjectNode before = KubeObject.of(old).metadata();
        String uid = KubeObject.text(metadata, "uid");
        String oldUid = KubeObject.text(before, "uid");
        if (!uid.isEmpty() && !uid.equals(oldUid)) {
            throw Statuses.conflict(
                    kind.resource(),
                    name,
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: "
                            + oldUid);
        }
        metadata.remove(List.of("selfLink", "managedFields"));
        for (String field : List.of(
                "uid",
                "creationTimestamp",
                "deletionTimestamp",
                "deletionGracePeriodSeconds",
                "resourceVersion")) {
            if (before.has(field)) {
                metadata.set(field, before.get(field));
            } else {
                metadata.remove(field);
            }
        }
    }

    /** The last finalizer went: the object goes with it. */
    private Optional<ObjectNode> remove(Target target, Store.Entry found, ObjectNode object) {
        if (target.options().dryRun()) {
            return Optional.of(object);
        }
        CommitResult result = store.commit(
                List.of(new Condition(found.key(), found.modRevision())),
                List.of(new Operation.Delete(found.key())));
        return switch (result) {
            case CommitResult.Committed _ -> {
                target.kind().strategy().release(decode(target.kind(), found));
                yield Optional.of(object);
            }
            case CommitResult.Conflict _ -> Optional.empty();
        };
    }
}
