package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.patch.JsonPatch;
import io.sluice.apiserver.patch.MergePatch;
import io.sluice.apiserver.patch.PatchException;
import io.sluice.apiserver.patch.StrategicMergePatch;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** From a PATCH request to a function on objects. Pure. */
final class Patches {
    static final List<String> CONSUMED = List.of(
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json");

    private Patches() {}

    /** @throws ApiException 400 for a body that is no JSON, 415 for a kind of patch not served */
    static UnaryOperator<ObjectNode> of(
            Kind kind,
            String name,
            String contentType,
            byte[] body,
            WriteOptions options,
            Consumer<String> warnings) {
        Step step = switch (Bodies.mediaType(contentType)) {
            case "application/json-patch+json" ->
                object -> JsonPatch.apply(object, Json.MAPPER.readTree(body));
            case "application/merge-patch+json" ->
                object -> MergePatch.apply(object, Json.parseObject(body));
            case "application/strategic-merge-patch+json" ->
                object -> StrategicMergePatch.apply(
                        object, Json.parseObject(body), Bodies.schema(kind));
            case "application/apply-patch+yaml", "application/apply-patch+cbor" ->
                throw refusal(kind, name, PatchException.applyNotServed());
            default -> throw Statuses.unsupportedMediaType(CONSUMED);
        };
        return object -> Bodies.patched(kind, run(kind, name, step, object), options, warnings);
    }

    /** One way to patch. */
    private interface Step {
        ObjectNode on(ObjectNode object) throws PatchException, IOException;
    }

    private static ObjectNode run(Kind kind, String name, Step step, ObjectNode object) {
        try {
            return step.on(object);
        } catch (PatchException e) {
            throw refusal(kind, name, e);
        } catch (IOException e) {
            throw Statuses.badRequest("error decoding patch: " + Bodies.firstLine(e.getMessage()));
        }
    }

    private static ApiException refusal(Kind kind, String name, PatchException e) {
        return switch (e.code()) {
            case 413 -> Statuses.tooLarge(e.getMessage());
            case 415 -> Statuses.unsupportedPatch(e.getMessage());
            case 422 ->
                Statuses.invalid(
                        kind.gvk(),
                        name,
                        List.of(new FieldError(
                                FieldError.Type.INVALID,
                                "patch",
                                "Invalid value: " + e.getMessage())));
            default -> Statuses.badRequest(e.getMessage());
        };
    }
}
