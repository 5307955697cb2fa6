package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.validation.Same;
import io.sluice.apiserver.validation.ServiceValidation;

import java.util.List;

/** A Service's defaults that depend on its other fields; those that don't are in the schema. Pure. */
final class ServiceDefaults {
    private static final int AFFINITY_SECONDS = 10_800;

    private ServiceDefaults() {}

    static void apply(ObjectNode service) {
        ObjectNode spec = KubeObject.child(service, "spec");
        dropEmpty(spec);
        for (JsonNode item : spec.path("ports")) {
            if (item instanceof ObjectNode port) {
                port(port);
            }
        }
        affinity(spec);
        policies(spec);
        ingressMode(service);
    }

    private static void dropEmpty(ObjectNode spec) {
        for (String field : List.of(
                "clusterIP",
                "clusterIPs",
                "ipFamilies",
                "ipFamilyPolicy",
                "externalIPs",
                "externalName",
                "externalTrafficPolicy",
                "loadBalancerIP",
                "loadBalancerSourceRanges",
                "selector")) {
            JsonNode value = spec.path(field);
            if (Same.empty(value)) {
                spec.remove(field);
            }
        }
    }

    private static void port(ObjectNode port) {
        JsonNode target = port.path("targetPort");
        boolean absent = Same.empty(target) || target.isInt() && target.intValue() == 0;
        if (absent && port.has("port")) {
            port.set("targetPort", port.get("port"));
        }
        if (KubeObject.text(port, "name").isEmpty()) {
            port.remove("name");
        }
    }

    private static void affinity(ObjectNode spec) {
        if (KubeObject.text(spec, "sessionAffinity").equals("None")) {
            spec.remove("sessionAffinityConfig");
        } else if (KubeObject.text(spec, "sessionAffinity").equals("ClientIP")) {
            ObjectNode client =
                    KubeObject.child(KubeObject.child(spec, "sessionAffinityConfig"), "clientIP");
            if (!client.has("timeoutSeconds")) {
                client.put("timeoutSeconds", AFFINITY_SECONDS);
            }
        }
    }

    private static void policies(ObjectNode spec) {
        String type = KubeObject.text(spec, "type");
        boolean accessible = ServiceValidation.externallyAccessible(spec);
        if (accessible && KubeObject.text(spec, "externalTrafficPolicy").isEmpty()) {
            spec.put("externalTrafficPolicy", "Cluster");
        }
        boolean internal =
                type.equals("ClusterIP") || type.equals("NodePort") || type.equals("LoadBalancer");
        if (internal && KubeObject.text(spec, "internalTrafficPolicy").isEmpty()) {
            spec.put("internalTrafficPolicy", "Cluster");
        }
        if (type.equals("LoadBalancer") && !spec.has("allocateLoadBalancerNodePorts")) {
            spec.put("allocateLoadBalancerNodePorts", true);
        }
    }

    /** Where an ingress has an address, its mode defaults to the address being on the node. */
    static void ingressMode(ObjectNode service) {
        for (JsonNode item : service.path("status").path("loadBalancer").path("ingress")) {
            if (item instanceof ObjectNode ingress && ingress.has("ip") && !ingress.has("ipMode")) {
                ingress.put("ipMode", "VIP");
            }
        }
    }
}
