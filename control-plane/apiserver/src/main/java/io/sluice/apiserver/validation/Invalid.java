package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.FieldError;

import java.util.List;
import java.util.stream.Collectors;

/** Field errors as the 422 answer that clients know. */
public final class Invalid {
    private static final int CODE = 422;

    private Invalid() {}

    /** @param group empty for the core group */
    public static ApiException of(String group, String kind, String name, List<FieldError> errors) {
        String texts = errors.stream().map(FieldError::toString).collect(Collectors.joining(", "));
        String message = (group.isEmpty() ? kind : kind + '.' + group) + " \"" + name
                + "\" is invalid: " + (errors.size() == 1 ? texts : '[' + texts + ']');
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", message).put("reason", "Invalid");
        ObjectNode details = status.putObject("details");
        details.put("name", name);
        if (!group.isEmpty()) {
            details.put("group", group);
        }
        ArrayNode causes = details.put("kind", kind).putArray("causes");
        errors.forEach(error -> causes.addObject()
                .put("reason", error.type().reason())
                .put("message", error.detail())
                .put("field", error.field()));
        status.put("code", CODE);
        return new ApiException(CODE, message, status);
    }
}
