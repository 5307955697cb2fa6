package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.validation.FieldErrors;
import io.sluice.apiserver.validation.MetadataValidation;
import io.sluice.apiserver.validation.Same;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What all kinds have in common, around what is special about one: metadata is checked, status is written through its subresource
 * alone, and the generation counts changes of what the user asks for.
 *
 * @param status the kind has a status subresource
 */
record CheckedStrategy(
        Strategy kind, boolean namespaced, Function<String, List<String>> nameRule, boolean status)
        implements Strategy {

    @Override
    public void prepareForCreate(ObjectNode object) {
        if (status && !(kind instanceof StatusAtCreation)) {
            object.remove("status");
        }
        if (countsGeneration()) {
            KubeObject.of(object).metadataForUpdate().put("generation", 1);
        } else {
            KubeObject.of(object).metadataForUpdate().remove("generation");
        }
        kind.prepareForCreate(object);
    }

    private boolean countsGeneration() {
        return kind instanceof Generated;
    }

    /** Marks strategies of kinds that are created with their status: whoever makes them knows it. */
    interface StatusAtCreation extends Strategy {}

    /** Marks strategies of kinds whose metadata.generation counts. */
    interface Generated extends Strategy {}

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        if (status) {
            copy("status", old, object);
        }
        ObjectNode metadata = KubeObject.of(object).metadataForUpdate();
        copy("generation", KubeObject.of(old).metadata(), metadata);
        kind.prepareForUpdate(object, old);
        if (countsGeneration() && !sameIntent(object, old)) {
            metadata.put("generation", old.path("metadata").path("generation").asLong() + 1);
        }
    }

    private static boolean sameIntent(ObjectNode object, ObjectNode old) {
        return object.properties().stream()
                        .filter(entry -> !isBookkeeping(entry.getKey()))
                        .allMatch(entry -> Same.same(entry.getValue(), old.path(entry.getKey())))
                && old.properties().stream()
                        .filter(entry -> !isBookkeeping(entry.getKey()))
                        .allMatch(
                                entry -> Same.same(entry.getValue(), object.path(entry.getKey())));
    }

    private static boolean isBookkeeping(String field) {
        return field.equals("metadata")
                || field.equals("status")
                || field.equals("apiVersion")
                || field.equals("kind");
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        for (String field : fieldNames(object)) {
            if (!isBookkeeping(field)) {
                object.remove(field);
            }
        }
        for (String field : fieldNames(old)) {
            if (!isBookkeeping(field)) {
                copy(field, old, object);
            }
        }
        copy(
                "generation",
                KubeObject.of(old).metadata(),
                KubeObject.of(object).metadataForUpdate());
        kind.prepareForStatusUpdate(object, old);
    }

    private static List<String> fieldNames(ObjectNode object) {
        List<String> out = new ArrayList<>();
        object.fieldNames().forEachRemaining(out::add);
        return out;
    }

    private static void copy(String field, ObjectNode from, ObjectNode to) {
        JsonNode value = from.get(field);
        if (value == null) {
            to.remove(field);
        } else {
            to.set(field, value.deepCopy());
        }
    }

    @Override
    public List<FieldError> validate(ObjectNode object) {
        FieldErrors errors = new FieldErrors();
        MetadataValidation.validate(object, namespaced, nameRule, errors);
        errors.addAll(kind.validate(object));
        return errors.list();
    }

    @Override
    public List<FieldError> validateUpdate(ObjectNode object, ObjectNode old) {
        FieldErrors errors = new FieldErrors();
        MetadataValidation.validateUpdate(object, old, errors);
        errors.addAll(kind.validateUpdate(object, old));
        return errors.list();
    }

    @Override
    public List<String> warnings(ObjectNode object) {
        return kind.warnings(object);
    }

    @Override
    public long gracePeriodSeconds(ObjectNode object, long requested) {
        return kind.gracePeriodSeconds(object, requested);
    }

    @Override
    public Reservation reserve(ObjectNode object, ObjectNode old, boolean dryRun) {
        return kind.reserve(object, old, dryRun);
    }

    @Override
    public void release(ObjectNode object) {
        kind.release(object);
    }
}
