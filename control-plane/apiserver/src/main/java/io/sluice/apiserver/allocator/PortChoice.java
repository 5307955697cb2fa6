package io.sluice.apiserver.allocator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.allocator.ServiceAllocator.Taken;
import io.sluice.apiserver.validation.FieldErrors;
import io.sluice.apiserver.validation.ServiceValidation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** One Service's node ports and health check port. Runs under {@link ServiceAllocator}'s lock. */
final class PortChoice {
    private final PortPool pool;
    private final Taken taken;
    private final FieldErrors errors;
    private final Set<Integer> own = new HashSet<>();
    /** Protocol and node port of this Service's ports: such a pair exists once. */
    private final Set<String> used = new HashSet<>();

    PortChoice(PortPool pool, Taken taken, FieldErrors errors) {
        this.pool = pool;
        this.taken = taken;
        this.errors = errors;
    }

    void choose(ObjectNode spec) {
        String type = KubeObject.text(spec, "type");
        if (type.equals("NodePort") || type.equals("LoadBalancer")) {
            nodePorts(spec, type);
        }
        if (errors.isEmpty() && ServiceValidation.needsHealthCheck(spec)) {
            healthCheck(spec);
        }
    }

    private void nodePorts(ObjectNode spec, String type) {
        boolean allocate = !type.equals("LoadBalancer")
                || spec.path("allocateLoadBalancerNodePorts").asBoolean(true);
        JsonNode ports = spec.path("ports");
        // Explicit ones first, so that no other port of this Service is given one of them.
        for (int i = 0; i < ports.size(); i++) {
            int asked = ports.get(i).path("nodePort").asInt();
            if (asked != 0) {
                used.add(KubeObject.text(ports.get(i), "protocol") + asked);
                take(asked, "spec.ports[" + i + "].nodePort");
            }
        }
        Map<String, Integer> byPort = shareable(ports);
        for (int i = 0; i < ports.size() && errors.isEmpty() && allocate; i++) {
            if (ports.get(i) instanceof ObjectNode port && port.path("nodePort").asInt() == 0) {
                choose(port, "spec.ports[" + i + "].nodePort", byPort);
            }
        }
    }

    /** One Service may use a node port for TCP and for UDP: its ports of the same number share one. */
    private static Map<String, Integer> shareable(JsonNode ports) {
        Map<String, Integer> out = new HashMap<>();
        for (JsonNode port : ports) {
            int nodePort = port.path("nodePort").asInt();
            if (nodePort != 0) {
                out.putIfAbsent(port.path("port").asText(), nodePort);
            }
        }
        return out;
    }

    private void choose(ObjectNode port, String field, Map<String, Integer> byPort) {
        Integer shared = byPort.get(port.path("port").asText());
        String protocol = KubeObject.text(port, "protocol");
        if (shared != null && used.add(protocol + shared)) {
            port.put("nodePort", shared);
            return;
        }
        OptionalInt any = takeAny(field);
        if (any.isPresent()) {
            port.put("nodePort", any.getAsInt());
            used.add(protocol + any.getAsInt());
            byPort.put(port.path("port").asText(), any.getAsInt());
        }
    }

    private void healthCheck(ObjectNode spec) {
        int asked = spec.path("healthCheckNodePort").asInt();
        if (asked != 0) {
            if (own.contains(asked)) {
                errors.invalid(
                        "spec.healthCheckNodePort", asked, "provided port is already allocated");
            } else {
                take(asked, "spec.healthCheckNodePort");
            }
            return;
        }
        takeAny("spec.healthCheckNodePort")
                .ifPresent(port -> spec.put("healthCheckNodePort", port));
    }

    private void take(int port, String field) {
        if (taken.before.ports().contains(port) || !own.add(port)) {
            own.add(port);
            return;
        }
        if (!pool.contains(port)) {
            errors.invalid(
                    field,
                    port,
                    "provided port is not in the valid range. The range of valid ports is "
                            + pool.range());
        } else if (!pool.take(port)) {
            errors.invalid(field, port, "provided port is already allocated");
        } else {
            taken.ports.add(port);
        }
    }

    private OptionalInt takeAny(String field) {
        OptionalInt port = pool.takeAny();
        if (port.isEmpty()) {
            errors.invalid(
                    field, 0, "failed to allocate a nodePort: range " + pool.range() + " is full");
        }
        port.ifPresent(taken.ports::add);
        return port;
    }
}
