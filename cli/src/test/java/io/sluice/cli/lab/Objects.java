package io.sluice.cli.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.object.Json;

/** Objects for tests. */
public final class Objects {
    public static final GroupVersionResource SERVICES =
            new GroupVersionResource("", "v1", "services");
    public static final GroupVersionResource CONFIG_MAPS =
            new GroupVersionResource("", "v1", "configmaps");
    public static final GroupVersionResource SLICES =
            new GroupVersionResource("discovery.k8s.io", "v1", "endpointslices");

    private Objects() {}

    /** A Service without selector, with one port {@code p}. */
    public static ObjectNode service(String name, String type, String protocol, int port) {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "Service");
        out.putObject("metadata").put("name", name).put("namespace", "default");
        ObjectNode spec = out.putObject("spec").put("type", type);
        spec.putArray("ports")
                .addObject()
                .put("name", "p")
                .put("port", port)
                .put("protocol", protocol);
        return out;
    }

    /** A slice with one endpoint. */
    public static ObjectNode slice(
            String name, String service, String protocol, String address, int port, boolean ready) {
        ObjectNode out =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        out.putObject("metadata")
                .put("name", name)
                .put("namespace", "default")
                .putObject("labels")
                .put("kubernetes.io/service-name", service);
        out.put("addressType", "IPv4");
        out.putArray("ports")
                .addObject()
                .put("name", "p")
                .put("port", port)
                .put("protocol", protocol);
        ObjectNode endpoint = out.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(address);
        endpoint.putObject("conditions").put("ready", ready).put("serving", ready);
        return out;
    }

    /** JSON patch that sets the one endpoint's readiness. */
    public static ArrayNode readiness(boolean ready) {
        ArrayNode patch = Json.MAPPER.createArrayNode();
        for (String condition : new String[] {"ready", "serving"}) {
            patch.addObject()
                    .put("op", "replace")
                    .put("path", "/endpoints/0/conditions/" + condition)
                    .put("value", ready);
        }
        return patch;
    }

    public static ObjectNode configMap(String name, String key, String value) {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "ConfigMap");
        out.putObject("metadata").put("name", name).put("namespace", "default");
        out.putObject("data").put(key, value);
        return out;
    }
}
