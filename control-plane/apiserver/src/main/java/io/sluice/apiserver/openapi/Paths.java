package io.sluice.apiserver.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.object.Json;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.schema.Schema.Struct;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Paths and operations of kinds, as far as clients read them. Used by one thread, once. */
final class Paths {
    private static final List<String> PATCH_TYPES = List.of(
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json");
    private static final List<String> WRITE_PARAMETERS =
            List.of("dryRun", "fieldManager", "fieldValidation", "pretty");
    private static final Map<String, List<String>> PARAMETERS = Map.of(
            "list",
            List.of(
                    "allowWatchBookmarks",
                    "continue",
                    "fieldSelector",
                    "labelSelector",
                    "limit",
                    "pretty",
                    "resourceVersion",
                    "resourceVersionMatch",
                    "sendInitialEvents",
                    "timeoutSeconds",
                    "watch"),
            "get",
            List.of("pretty"),
            "post",
            WRITE_PARAMETERS,
            "put",
            WRITE_PARAMETERS,
            "patch",
            List.of("dryRun", "fieldManager", "fieldValidation", "force", "pretty"),
            "delete",
            List.of(
                    "dryRun",
                    "gracePeriodSeconds",
                    "orphanDependents",
                    "propagationPolicy",
                    "pretty"),
            "deletecollection",
            List.of(
                    "continue",
                    "dryRun",
                    "fieldSelector",
                    "gracePeriodSeconds",
                    "labelSelector",
                    "limit"));
    private static final List<String> BOOLEANS = List.of(
            "allowWatchBookmarks", "force", "orphanDependents", "sendInitialEvents", "watch");
    private static final List<String> INTEGERS =
            List.of("gracePeriodSeconds", "limit", "timeoutSeconds");

    private final Dialect dialect;
    private final Definitions definitions;
    private final ObjectNode paths = Json.object();

    Paths(Dialect dialect, Definitions definitions) {
        this.dialect = dialect;
        this.definitions = definitions;
    }

    static ObjectNode gvk(GroupVersionKind gvk) {
        return Json.object()
                .put("group", gvk.group())
                .put("kind", gvk.kind())
                .put("version", gvk.version());
    }

    void addKind(Kind kind) {
        String namespace = kind.namespaced() ? "{namespace}" : "";
        String collection = kind.resource().path(namespace);
        ObjectNode all = path(collection, false);
        operation(all, kind, "get", "list", "list");
        operation(all, kind, "post", "post", "create");
        operation(all, kind, "delete", "deletecollection", "deletecollection");
        ObjectNode one = path(collection + "/{name}", true);
        operation(one, kind, "get", "get", "get");
        operation(one, kind, "put", "put", "update");
        operation(one, kind, "patch", "patch", "patch");
        operation(one, kind, "delete", "delete", "delete");
        if (kind.hasStatus()) {
            ObjectNode status = path(collection + "/{name}/status", true);
            operation(status, kind, "get", "get", "get");
            operation(status, kind, "put", "put", "update");
            operation(status, kind, "patch", "patch", "patch");
        }
        if (kind.namespaced()) {
            operation(path(kind.resource().path(""), false), kind, "get", "list", "list");
        }
    }

    private ObjectNode path(String path, boolean named) {
        ObjectNode out = paths.putObject(path);
        ArrayNode parameters = out.putArray("parameters");
        if (named) {
            parameters.add(parameter("name", "path").put("required", true));
        }
        if (path.contains("{namespace}")) {
            parameters.add(parameter("namespace", "path").put("required", true));
        }
        return out;
    }

    private ObjectNode parameter(String name, String in) {
        String type = BOOLEANS.contains(name)
                ? "boolean"
                : INTEGERS.contains(name) ? "integer" : "string";
        ObjectNode out = Json.object().put("name", name).put("in", in).put("uniqueItems", true);
        switch (dialect) {
            case V2 -> out.put("type", type);
            case V3 -> {
                out.remove("uniqueItems");
                out.putObject("schema").put("type", type).put("uniqueItems", true);
            }
        }
        return out;
    }

    private void operation(ObjectNode path, Kind kind, String method, String action, String verb) {
        if (!kind.verbs().contains(verb)) {
            return;
        }
        ObjectNode out = path.putObject(method);
        out.put(
                "operationId",
                action + kind.gvk().group().replace(".", "_") + kind.gvk().kind() + (paths.size()));
        out.put("x-kubernetes-action", action);
        out.set("x-kubernetes-group-version-kind", gvk(kind.gvk()));
        ArrayNode parameters = out.putArray("parameters");
        PARAMETERS.get(action).forEach(name -> parameters.add(parameter(name, "query")));
        switch (method) {
            case "post", "put" -> body(out, kind, List.of("*/*"));
            case "patch" -> body(out, kind, PATCH_TYPES);
            default -> {}
        }
        ObjectNode ok = out.putObject("responses").putObject("200").put("description", "OK");
        String answer = action.startsWith("delete")
                ? Definitions.META + "Status"
                : ((Struct) kind.schema()).definition() + (action.equals("list") ? "List" : "");
        answer(ok, answer);
    }

    private void body(ObjectNode operation, Kind kind, List<String> types) {
        ObjectNode schema = types.size() > 1
                ? Json.object().put("type", "object")
                : dialect.reference(((Struct) kind.schema()).definition());
        switch (dialect) {
            case V2 -> {
                ArrayNode consumes = operation.putArray("consumes");
                types.forEach(consumes::add);
                ObjectNode body = operation.withArray("parameters").addObject();
                body.put("name", "body").put("in", "body").put("required", true);
                body.set("schema", schema);
            }
            case V3 -> {
                ObjectNode body = operation.putObject("requestBody").put("required", true);
                ObjectNode content = body.putObject("content");
                types.forEach(type -> content.putObject(type).set("schema", schema));
            }
        }
    }

    private void answer(ObjectNode response, String definition) {
        switch (dialect) {
            case V2 -> response.set("schema", dialect.reference(definition));
            case V3 ->
                response.putObject("content")
                        .putObject("application/json")
                        .set("schema", dialect.reference(definition));
        }
    }

    ObjectNode toJson() {
        definitions.add(Definitions.meta("Status"));
        definitions.add(Definitions.meta("DeleteOptions"));
        return paths;
    }

    /** Of one group and version: {@code api/v1}, {@code apis/discovery.k8s.io/v1}. */
    static String document(Kind kind) {
        String group = kind.gvk().group().toLowerCase(Locale.ROOT);
        return group.isEmpty()
                ? "api/" + kind.gvk().version()
                : "apis/" + group + '/' + kind.gvk().version();
    }

    static List<String> documents(List<Kind> kinds) {
        List<String> out = new ArrayList<>();
        kinds.stream().map(Paths::document).distinct().sorted().forEach(out::add);
        return out;
    }
}
