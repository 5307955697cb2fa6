package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Statuses;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How to delete.
 *
 * @param graceSeconds -1 where the client named none
 * @param uid must be the object's; empty for any
 * @param version must be the object's; empty for any
 */
public record DeleteOptions(
        long graceSeconds,
        Optional<Propagation> propagation,
        String uid,
        String version,
        boolean dryRun) {

    /** What becomes of dependents. */
    public enum Propagation {
        ORPHAN,
        BACKGROUND,
        FOREGROUND
    }

    /** @param body of the request, an empty object where there is none: it comes before the query */
    public static DeleteOptions of(ObjectNode body, Query query) {
        boolean inBody = !body.isEmpty();
        JsonNode grace = body.path("gracePeriodSeconds");
        long seconds = grace.isNumber()
                ? grace.asLong()
                : query.number("gracePeriodSeconds").orElse(-1);
        List<String> dryRun = new ArrayList<>();
        body.path("dryRun").forEach(item -> dryRun.add(item.asText()));
        if (!inBody || dryRun.isEmpty()) {
            dryRun.addAll(query.values().getOrDefault("dryRun", List.of()));
        }
        JsonNode preconditions = body.path("preconditions");
        return new DeleteOptions(
                seconds,
                propagation(body, query),
                KubeObject.text(preconditions, "uid"),
                KubeObject.text(preconditions, "resourceVersion"),
                WriteOptions.dryRun(dryRun));
    }

    private static Optional<Propagation> propagation(ObjectNode body, Query query) {
        String text = KubeObject.text(body, "propagationPolicy");
        String policy = text.isEmpty() ? query.text("propagationPolicy") : text;
        boolean orphanGiven = body.has("orphanDependents") || query.has("orphanDependents");
        boolean orphan = body.has("orphanDependents")
                ? body.path("orphanDependents").asBoolean()
                : query.flag("orphanDependents");
        if (orphanGiven && !policy.isEmpty()) {
            throw Statuses.badRequest(
                    "orphanDependents and deletionPropagation cannot be both set");
        }
        if (orphanGiven) {
            return Optional.of(orphan ? Propagation.ORPHAN : Propagation.BACKGROUND);
        }
        return switch (policy) {
            case "" -> Optional.empty();
            case "Orphan" -> Optional.of(Propagation.ORPHAN);
            case "Background" -> Optional.of(Propagation.BACKGROUND);
            case "Foreground" -> Optional.of(Propagation.FOREGROUND);
            default ->
                throw Statuses.badRequest("propagationPolicy: Unsupported value: \"" + policy
                        + "\": supported values: \"Background\", \"Foreground\", \"Orphan\"");
        };
    }
}
