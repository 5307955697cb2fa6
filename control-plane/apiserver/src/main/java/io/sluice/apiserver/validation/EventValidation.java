package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;

import java.util.List;

/** Events in their stored form, which is core/v1's. Those of the newer API have a time and stricter rules. */
public final class EventValidation {
    private static final int MAX_NOTE = 1024;
    private static final int MAX_SHORT = 128;

    private EventValidation() {}

    /** @param newer the event came through events.k8s.io */
    public static void validate(ObjectNode event, boolean newer, FieldErrors errors) {
        namespace(event, errors);
        if (!newer) {
            return;
        }
        if (Same.empty(event.path("eventTime"))) {
            errors.required("eventTime", "");
        }
        String controller = KubeObject.text(event, "reportingController");
        required("reportingController", controller, errors);
        required("reportingInstance", KubeObject.text(event, "reportingInstance"), errors);
        required("action", KubeObject.text(event, "action"), errors);
        required("reason", KubeObject.text(event, "reason"), errors);
        String note = KubeObject.text(event, "note");
        if (MetadataValidation.utf8(note) > MAX_NOTE) {
            errors.tooLong("note", MAX_NOTE);
        }
        String type = KubeObject.text(event, "type");
        if (!List.of("Normal", "Warning").contains(type)) {
            errors.invalid("type", type, "has invalid value: " + type);
        }
    }

    private static void required(String field, String value, FieldErrors errors) {
        if (value.isEmpty()) {
            errors.required(field, "");
        } else if (MetadataValidation.utf8(value) > MAX_SHORT) {
            errors.tooLong(field, MAX_SHORT);
        }
    }

    private static void namespace(ObjectNode event, FieldErrors errors) {
        JsonNode about =
                event.has("regarding") ? event.path("regarding") : event.path("involvedObject");
        String field = event.has("regarding") ? "regarding.namespace" : "involvedObject.namespace";
        String namespace = KubeObject.text(event.path("metadata"), "namespace");
        String of = KubeObject.text(about, "namespace");
        // Events about cluster-scoped objects live in default (or, written by old clients, in
        // kube-system).
        boolean fits = of.isEmpty()
                ? namespace.equals("default") || namespace.equals("kube-system")
                : namespace.equals(of);
        if (!fits) {
            errors.invalid(field, of, "does not match event.namespace");
        }
    }

    /** @param newer the change came through events.k8s.io, where only the series may change */
    public static void validateUpdate(
            ObjectNode event, ObjectNode old, boolean newer, FieldErrors errors) {
        if (!newer) {
            return;
        }
        for (String field : List.of(
                "eventTime",
                "reportingController",
                "reportingInstance",
                "action",
                "reason",
                "regarding",
                "related",
                "note",
                "type")) {
            errors.immutable(field, event.path(field), old.path(field));
        }
    }
}
