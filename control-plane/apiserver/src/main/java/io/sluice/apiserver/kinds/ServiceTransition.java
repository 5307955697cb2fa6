package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.validation.Same;
import io.sluice.apiserver.validation.ServiceValidation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a changed Service keeps of its old self: allocated values a client left out stay, values that mean nothing under a new type go
 * (unless the client changed them, then validation speaks). Works on specs. Pure.
 */
final class ServiceTransition {
    private ServiceTransition() {}

    /** {@code clusterIPs} from {@code clusterIP} where only the latter is given. */
    static void syncAddresses(ObjectNode spec) {
        String first = KubeObject.text(spec, "clusterIP");
        if (!first.isEmpty() && spec.path("clusterIPs").isEmpty()) {
            spec.putArray("clusterIPs").add(first);
        }
    }

    static void carryOver(ObjectNode spec, ObjectNode old) {
        addresses(spec, old);
        if (needsNodePorts(spec) && needsNodePorts(old)) {
            nodePorts(spec, old);
        }
        if (ServiceValidation.needsHealthCheck(spec)
                && ServiceValidation.needsHealthCheck(old)
                && spec.path("healthCheckNodePort").asInt() == 0) {
            copy("healthCheckNodePort", old, spec);
        }
        dropForType(spec, old);
    }

    private static boolean needsNodePorts(ObjectNode spec) {
        String type = KubeObject.text(spec, "type");
        return type.equals("NodePort") || type.equals("LoadBalancer");
    }

    private static boolean needsAddress(ObjectNode spec) {
        return !KubeObject.text(spec, "type").equals("ExternalName");
    }

    private static void addresses(ObjectNode spec, ObjectNode old) {
        String first = KubeObject.text(spec, "clusterIP");
        String oldFirst = KubeObject.text(old, "clusterIP");
        boolean sameList = Same.same(spec.path("clusterIPs"), old.path("clusterIPs"));
        if (!first.equals(oldFirst) && sameList) {
            // Clients that know only clusterIP send the list along as they got it.
            spec.remove("clusterIPs");
        } else if (first.equals(oldFirst) && Same.empty(spec.path("clusterIPs"))) {
            boolean cleared = !Same.empty(old.path("clusterIPs"));
            if (cleared && needsAddress(spec)) {
                copy("clusterIPs", old, spec);
            } else {
                spec.remove("clusterIP");
            }
        }
        if (needsAddress(spec) && needsAddress(old) && Same.empty(spec.path("clusterIP"))) {
            copy("clusterIP", old, spec);
            if (Same.empty(spec.path("clusterIPs"))) {
                copy("clusterIPs", old, spec);
            }
        }
        syncAddresses(spec);
    }

    private static void nodePorts(ObjectNode spec, ObjectNode old) {
        Map<String, Integer> before = new HashMap<>();
        for (JsonNode port : old.path("ports")) {
            before.put(portKey(port), port.path("nodePort").asInt());
        }
        Set<String> used = new HashSet<>();
        for (JsonNode port : spec.path("ports")) {
            used.add(nodePortKey(port, port.path("nodePort").asInt()));
        }
        for (JsonNode item : spec.path("ports")) {
            int known = before.getOrDefault(portKey(item), 0);
            boolean free = known != 0 && item.path("nodePort").asInt() == 0;
            if (free && item instanceof ObjectNode port && used.add(nodePortKey(port, known))) {
                port.put("nodePort", known);
            }
        }
    }

    private static String portKey(JsonNode port) {
        return KubeObject.text(port, "protocol") + port.path("port").asInt();
    }

    private static String nodePortKey(JsonNode port, int nodePort) {
        return KubeObject.text(port, "protocol") + nodePort;
    }

    private static void dropForType(ObjectNode spec, ObjectNode old) {
        if (!needsAddress(spec) && needsAddress(old)) {
            dropSame(spec, old, List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"));
            dropSame(spec, old, List.of("internalTrafficPolicy"));
        }
        if (needsNodePorts(old) && !needsNodePorts(spec)) {
            dropNodePorts(spec, old);
        }
        if (ServiceValidation.needsHealthCheck(old) && !ServiceValidation.needsHealthCheck(spec)) {
            dropSame(spec, old, List.of("healthCheckNodePort"));
        }
        boolean wasBalancer = KubeObject.text(old, "type").equals("LoadBalancer");
        if (wasBalancer && !KubeObject.text(spec, "type").equals("LoadBalancer")) {
            dropSame(spec, old, List.of("allocateLoadBalancerNodePorts", "loadBalancerClass"));
        }
        boolean wasAccessible = ServiceValidation.externallyAccessible(old);
        if (wasAccessible && !ServiceValidation.externallyAccessible(spec)) {
            dropSame(spec, old, List.of("externalTrafficPolicy"));
        }
    }

    private static void dropNodePorts(ObjectNode spec, ObjectNode old) {
        Set<Integer> before = new HashSet<>();
        old.path("ports").forEach(port -> before.add(port.path("nodePort").asInt()));
        for (JsonNode item : spec.path("ports")) {
            if (item instanceof ObjectNode port
                    && before.contains(port.path("nodePort").asInt())) {
                port.remove("nodePort");
            }
        }
    }

    private static void dropSame(ObjectNode spec, ObjectNode old, List<String> fields) {
        for (String field : fields) {
            if (Same.same(spec.path(field), old.path(field))) {
                spec.remove(field);
            }
        }
    }

    private static void copy(String field, ObjectNode from, ObjectNode to) {
        if (from.has(field)) {
            to.set(field, from.get(field).deepCopy());
        }
    }
}
