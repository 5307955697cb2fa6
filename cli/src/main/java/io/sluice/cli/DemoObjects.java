package io.sluice.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;

/** The objects the demo makes. Pure. */
final class DemoObjects {
    static final GroupVersionResource SERVICES = new GroupVersionResource("", "v1", "services");
    static final GroupVersionResource SLICES =
            new GroupVersionResource("discovery.k8s.io", "v1", "endpointslices");
    static final NamespacedName SERVICE = new NamespacedName("default", "demo");

    private DemoObjects() {}

    /** A node-port Service without a selector: its slices are ours to write. */
    static ObjectNode service() {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "Service");
        out.putObject("metadata").put("name", SERVICE.name()).put("namespace", SERVICE.namespace());
        ObjectNode spec = out.putObject("spec").put("type", "NodePort");
        spec.putArray("ports").addObject().put("name", "http").put("port", 80);
        return out;
    }

    static ObjectNode slice(DemoBackend backend, boolean ready) {
        ObjectNode out =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        out.putObject("metadata")
                .put("name", sliceName(backend).name())
                .put("namespace", SERVICE.namespace())
                .putObject("labels")
                .put("kubernetes.io/service-name", SERVICE.name());
        out.put("addressType", "IPv4");
        out.putArray("ports")
                .addObject()
                .put("name", "http")
                .put("port", backend.port())
                .put("protocol", "TCP");
        ObjectNode endpoint = out.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(backend.address().toString());
        endpoint.putObject("conditions").put("ready", ready);
        endpoint.putObject("targetRef")
                .put("kind", "Pod")
                .put("namespace", "default")
                .put("name", backend.name());
        return out;
    }

    static NamespacedName sliceName(DemoBackend backend) {
        return new NamespacedName(SERVICE.namespace(), SERVICE.name() + '-' + backend.name());
    }

    /** JSON patch that sets the one endpoint's readiness. */
    static com.fasterxml.jackson.databind.node.ArrayNode readiness(boolean ready) {
        var patch = Json.MAPPER.createArrayNode();
        patch.addObject()
                .put("op", "replace")
                .put("path", "/endpoints/0/conditions/ready")
                .put("value", ready);
        return patch;
    }
}
