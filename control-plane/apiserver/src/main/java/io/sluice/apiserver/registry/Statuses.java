package io.sluice.apiserver.registry;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.object.Json;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Every refusal of the API, in the words clients match. Pure. */
public final class Statuses {
    private static final String MODIFIED = "the object has been modified; please apply your changes"
            + " to the latest version and try again";

    private Statuses() {}

    public static ApiException notFound(GroupVersionResource resource, String name) {
        return named(404, "NotFound", quoted(resource, name) + " not found", resource, name);
    }

    /** No such path, group, version or resource. */
    public static ApiException unknownPath() {
        return plain(404, "NotFound", "the server could not find the requested resource");
    }

    public static ApiException alreadyExists(GroupVersionResource resource, String name) {
        return named(
                409, "AlreadyExists", quoted(resource, name) + " already exists", resource, name);
    }

    /** All names tried for a {@code generateName} were taken. */
    public static ApiException noFreeName(GroupVersionResource resource, String name) {
        String message = quoted(resource, name) + " already exists, the server was not able to"
                + " generate a unique name for the object";
        return named(409, "AlreadyExists", message, resource, name);
    }

    /** The object changed since the client read it. */
    public static ApiException modified(GroupVersionResource resource, String name) {
        return conflict(resource, name, MODIFIED);
    }

    public static ApiException conflict(GroupVersionResource resource, String name, String why) {
        String message = "Operation cannot be fulfilled on " + quoted(resource, name) + ": " + why;
        return named(409, "Conflict", message, resource, name);
    }

    /** @param errors at least one; their details begin with their type's text */
    public static ApiException invalid(
            GroupVersionKind kind, String name, List<FieldError> errors) {
        String texts = errors.stream().map(FieldError::toString).collect(Collectors.joining(", "));
        String type = kind.group().isEmpty() ? kind.kind() : kind.kind() + '.' + kind.group();
        String message = type + " \"" + name + "\" is invalid: "
                + (errors.size() == 1 ? texts : '[' + texts + ']');
        ObjectNode status = failure(422, "Invalid", message);
        ObjectNode details = details(status, kind.group(), kind.kind(), name);
        ArrayNode causes = details.putArray("causes");
        errors.forEach(error -> causes.addObject()
                .put("reason", error.type().reason())
                .put("message", error.detail())
                .put("field", error.field()));
        return new ApiException(422, message, status);
    }

    public static ApiException badRequest(String message) {
        return plain(400, "BadRequest", message);
    }

    public static ApiException unauthorized() {
        return plain(401, "Unauthorized", "Unauthorized");
    }

    /** @param name may be empty: the collection is meant */
    public static ApiException forbidden(GroupVersionResource resource, String name, String why) {
        String subject = name.isEmpty() ? resource.groupResource() : quoted(resource, name);
        return named(403, "Forbidden", subject + " is forbidden: " + why, resource, name);
    }

    /** For paths that name no resource. */
    public static ApiException forbiddenPath(String why) {
        return plain(403, "Forbidden", "forbidden: " + why);
    }

    /** History the client asks for is gone: it must list again. */
    public static ApiException expired(String message) {
        return plain(410, "Expired", message);
    }

    /** As above, with a token that continues the list at whatever is there now. */
    public static ApiException expired(String message, String freshToken) {
        ApiException out = expired(message);
        out.status().putObject("metadata").put("continue", freshToken);
        return out;
    }

    public static ApiException tooLarge(String message) {
        return plain(413, "RequestEntityTooLarge", "Request entity is too large: " + message);
    }

    /** The path names a resource that does not know the method. */
    public static ApiException methodNotAllowed() {
        return plain(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource");
    }

    public static ApiException notAcceptable(Collection<String> accepted) {
        return plain(
                406,
                "NotAcceptable",
                "only the following media types are accepted: " + String.join(", ", accepted));
    }

    public static ApiException unsupportedMediaType(Collection<String> accepted) {
        return plain(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: "
                        + String.join(", ", accepted));
    }

    /** As above, where the message says more. */
    public static ApiException unsupportedPatch(String message) {
        return plain(415, "UnsupportedMediaType", message);
    }

    public static ApiException timeout(String message, int retryAfterSeconds) {
        ApiException out = plain(504, "Timeout", "Timeout: " + message);
        detailsOf(out).put("retryAfterSeconds", retryAfterSeconds);
        return out;
    }

    /** The client has seen a revision this server has not. */
    public static ApiException futureVersion(long asked, long current) {
        ApiException out =
                timeout("Too large resource version: " + asked + ", current: " + current, 1);
        detailsOf(out)
                .putArray("causes")
                .addObject()
                .put("reason", "ResourceVersionTooLarge")
                .put("message", "Too large resource version");
        return out;
    }

    public static ApiException tooManyRequests(int retryAfterSeconds) {
        ApiException out =
                plain(429, "TooManyRequests", "Too many requests, please try again later.");
        detailsOf(out).put("retryAfterSeconds", retryAfterSeconds);
        return out;
    }

    /** For a fault of ours: the details are in the log, the client learns the short cause. */
    public static ApiException internalError(String cause) {
        ApiException out = plain(500, "InternalError", "Internal error occurred: " + cause);
        detailsOf(out).putArray("causes").addObject().put("message", cause);
        return out;
    }

    public static ApiException serviceUnavailable(String message) {
        return plain(503, "ServiceUnavailable", message);
    }

    public static ApiException requestTimeout(String message) {
        return plain(408, "Timeout", message);
    }

    public static ApiException headersTooLarge(String message) {
        return plain(431, "RequestHeaderFieldsTooLarge", message);
    }

    public static ApiException notImplemented(String message) {
        return plain(501, "NotImplemented", message);
    }

    /** The answer to a successful delete, where the object itself is not returned. */
    public static ObjectNode deleted(GroupVersionResource resource, String name, String uid) {
        ObjectNode out = status("Success");
        details(out, resource.group(), resource.resource(), name).put("uid", uid);
        return out;
    }

    private static ApiException named(
            int code, String reason, String message, GroupVersionResource resource, String name) {
        ObjectNode status = failure(code, reason, message);
        details(status, resource.group(), resource.resource(), name);
        return new ApiException(code, message, status);
    }

    private static ApiException plain(int code, String reason, String message) {
        return new ApiException(code, message, failure(code, reason, message));
    }

    private static ObjectNode failure(int code, String reason, String message) {
        ObjectNode out = status("Failure").put("message", message).put("reason", reason);
        return out.put("code", code);
    }

    private static ObjectNode status(String outcome) {
        ObjectNode out = Json.object().put("kind", "Status").put("apiVersion", "v1");
        out.putObject("metadata");
        return out.put("status", outcome);
    }

    private static ObjectNode details(ObjectNode status, String group, String kind, String name) {
        ObjectNode out = status.putObject("details");
        if (!name.isEmpty()) {
            out.put("name", name);
        }
        if (!group.isEmpty()) {
            out.put("group", group);
        }
        return out.put("kind", kind);
    }

    private static ObjectNode detailsOf(ApiException refusal) {
        ObjectNode status = refusal.status();
        return status.get("details") instanceof ObjectNode details
                ? details
                : status.putObject("details");
    }

    private static String quoted(GroupVersionResource resource, String name) {
        return resource.groupResource() + " \"" + name + '"';
    }
}
