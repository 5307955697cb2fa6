package io.sluice.controllers;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Asks the server which collections it has, each in its preferred version. */
final class Discovery {
    private Discovery() {}

    static List<ApiResource> resources(KubeClient client) throws IOException {
        List<ApiResource> out = new ArrayList<>(group(client, "/api/v1", "", "v1"));
        for (JsonNode group : get(client, "/apis").path("groups")) {
            String name = KubeObject.text(group, "name");
            String version = KubeObject.text(group.path("preferredVersion"), "version");
            out.addAll(group(client, "/apis/" + name + '/' + version, name, version));
        }
        return List.copyOf(out);
    }

    private static List<ApiResource> group(
            KubeClient client, String path, String group, String version) throws IOException {
        List<ApiResource> out = new ArrayList<>();
        for (JsonNode item : get(client, path).path("resources")) {
            String name = KubeObject.text(item, "name");
            if (name.contains("/")) {
                continue; // a subresource
            }
            Set<String> verbs = new HashSet<>();
            item.path("verbs").forEach(verb -> verbs.add(verb.asText()));
            out.add(new ApiResource(
                    new GroupVersionResource(group, version, name),
                    new GroupVersionKind(group, version, KubeObject.text(item, "kind")),
                    item.path("namespaced").asBoolean(),
                    Set.copyOf(verbs)));
        }
        return out;
    }

    private static JsonNode get(KubeClient client, String path) throws IOException {
        KubeClient.Response response = client.raw("GET", path, "application/json", new byte[0]);
        if (response.code() != 200) {
            throw new IOException("discovery: GET " + path + " answered " + response.code());
        }
        return Json.parseObject(response.body());
    }
}
