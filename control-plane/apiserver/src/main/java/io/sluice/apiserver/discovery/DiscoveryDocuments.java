package io.sluice.apiserver.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the server serves, in the forms clients ask for. Pure. */
final class DiscoveryDocuments {
    private final Registry registry;
    private final String serverAddress;

    /** @param serverAddress {@code host:port} as clients outside should use it */
    DiscoveryDocuments(Registry registry, String serverAddress) {
        this.registry = registry;
        this.serverAddress = serverAddress;
    }

    /** {@code /api}. */
    ObjectNode coreVersions() {
        ObjectNode out = Json.object().put("kind", "APIVersions");
        registry.versions().getOrDefault("", Set.of()).forEach(out.putArray("versions")::add);
        out.putArray("serverAddressByClientCIDRs")
                .addObject()
                .put("clientCIDR", "0.0.0.0/0")
                .put("serverAddress", serverAddress);
        return out;
    }

    /** {@code /apis}. */
    ObjectNode groups() {
        ObjectNode out = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = out.putArray("groups");
        registry.versions().keySet().forEach(name -> group(name).ifPresent(groups::add));
        groups.forEach(group -> {
            ((ObjectNode) group).remove(List.of("kind", "apiVersion"));
        });
        return out;
    }

    /** {@code /apis/GROUP}; empty for an unknown one. */
    Optional<ObjectNode> group(String name) {
        Set<String> versions = registry.versions().get(name);
        if (name.isEmpty() || versions == null) {
            return Optional.empty();
        }
        ObjectNode out =
                Json.object().put("kind", "APIGroup").put("apiVersion", "v1").put("name", name);
        ArrayNode list = out.putArray("versions");
        versions.forEach(version -> list.add(groupVersion(name, version)));
        out.set("preferredVersion", list.get(0));
        return Optional.of(out);
    }

    private static ObjectNode groupVersion(String group, String version) {
        return Json.object().put("groupVersion", group + '/' + version).put("version", version);
    }

    /** {@code /api/VERSION} and {@code /apis/GROUP/VERSION}; empty for an unknown one. */
    Optional<ObjectNode> resources(String group, String version) {
        List<Kind> kinds = registry.kinds(group, version);
        if (kinds.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode out = Json.object()
                .put("kind", "APIResourceList")
                .put("apiVersion", "v1")
                .put("groupVersion", group.isEmpty() ? version : group + '/' + version);
        ArrayNode resources = out.putArray("resources");
        for (Kind kind : kinds) {
            resources.add(resource(kind));
            for (Map.Entry<String, List<String>> sub : subresources(kind).entrySet()) {
                ObjectNode entry = resources
                        .addObject()
                        .put("name", kind.resource().resource() + '/' + sub.getKey())
                        .put("singularName", "")
                        .put("namespaced", kind.namespaced());
                if (sub.getKey().equals("token")) {
                    entry.put("group", "authentication.k8s.io").put("version", "v1");
                }
                entry.put("kind", subresourceKind(kind, sub.getKey()));
                sub.getValue().forEach(entry.putArray("verbs")::add);
            }
        }
        return Optional.of(out);
    }

    private static ObjectNode resource(Kind kind) {
        ObjectNode out = Json.object()
                .put("name", kind.resource().resource())
                .put("singularName", kind.singular())
                .put("namespaced", kind.namespaced())
                .put("kind", kind.gvk().kind());
        new TreeSet<>(kind.verbs()).forEach(out.putArray("verbs")::add);
        fill(out, "shortNames", kind.shortNames());
        fill(out, "categories", kind.categories());
        return out.put("storageVersionHash", storageHash(kind));
    }

    private static void fill(ObjectNode out, String field, List<String> values) {
        if (!values.isEmpty()) {
            values.forEach(out.putArray(field)::add);
        }
    }

    /** Tells clients when the stored form of a kind changes. */
    private static String storageHash(Kind kind) {
        byte[] digest = sha256((kind.gvk().group()
                        + '/'
                        + kind.gvk().version()
                        + '/'
                        + kind.gvk().kind())
                .getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(Arrays.copyOf(digest, 8));
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private static Map<String, List<String>> subresources(Kind kind) {
        Map<String, List<String>> out = new java.util.TreeMap<>();
        for (String name : kind.subresources()) {
            out.put(
                    name,
                    name.equals("finalize")
                            ? List.of("update")
                            : List.of("get", "patch", "update"));
        }
        if (isServiceAccount(kind)) {
            out.put("token", List.of("create"));
        }
        return out;
    }

    private static boolean isServiceAccount(Kind kind) {
        return kind.resource().group().isEmpty()
                && kind.resource().resource().equals("serviceaccounts");
    }

    private static String subresourceKind(Kind kind, String subresource) {
        return subresource.equals("token") ? "TokenRequest" : kind.gvk().kind();
    }

    /** Everything below {@code /api} (core) or {@code /apis} in one document. */
    ObjectNode aggregated(boolean core, String version) {
        ObjectNode out = Json.object()
                .put("kind", "APIGroupDiscoveryList")
                .put("apiVersion", "apidiscovery.k8s.io/" + version);
        out.putObject("metadata");
        ArrayNode items = out.putArray("items");
        registry.versions().forEach((group, versions) -> {
            if (group.isEmpty() == core) {
                ObjectNode item = items.addObject();
                ObjectNode metadata = item.putObject("metadata");
                if (!core) {
                    metadata.put("name", group);
                }
                metadata.putNull("creationTimestamp");
                ArrayNode list = item.putArray("versions");
                versions.forEach(each -> list.add(aggregatedVersion(group, each)));
            }
        });
        return out;
    }

    private ObjectNode aggregatedVersion(String group, String version) {
        ObjectNode out = Json.object().put("version", version);
        ArrayNode resources = out.putArray("resources");
        for (Kind kind : registry.kinds(group, version)) {
            ObjectNode entry =
                    resources.addObject().put("resource", kind.resource().resource());
            responseKind(entry, group, version, kind.gvk().kind());
            entry.put("scope", kind.namespaced() ? "Namespaced" : "Cluster")
                    .put("singularResource", kind.singular());
            new TreeSet<>(kind.verbs()).forEach(entry.putArray("verbs")::add);
            fill(entry, "shortNames", kind.shortNames());
            fill(entry, "categories", kind.categories());
            Map<String, List<String>> subresources = subresources(kind);
            if (!subresources.isEmpty()) {
                ArrayNode list = entry.putArray("subresources");
                subresources.forEach((name, verbs) -> {
                    ObjectNode sub = list.addObject().put("subresource", name);
                    boolean token = name.equals("token");
                    responseKind(
                            sub,
                            token ? "authentication.k8s.io" : group,
                            token ? "v1" : version,
                            subresourceKind(kind, name));
                    verbs.forEach(sub.putArray("verbs")::add);
                });
            }
        }
        return out.put("freshness", "Current");
    }

    private static void responseKind(ObjectNode out, String group, String version, String kind) {
        out.putObject("responseKind")
                .put("group", group)
                .put("version", version)
                .put("kind", kind);
    }
}
