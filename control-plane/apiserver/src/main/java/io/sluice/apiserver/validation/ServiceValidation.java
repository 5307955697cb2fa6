package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.Names;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.object.KubeObject;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code spec} of a Service; its addresses and families are in {@link ServiceIpValidation}. */
public final class ServiceValidation {
    private static final List<String> TYPES =
            List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
    private static final List<String> AFFINITIES = List.of("ClientIP", "None");
    private static final List<String> POLICIES = List.of("Cluster", "Local");
    private static final List<String> DISTRIBUTIONS =
            List.of("PreferClose", "PreferSameNode", "PreferSameZone");
    private static final int MAX_AFFINITY_SECONDS = 86_400;
    private static final int KUBELET_PORT = 10250;

    private final JsonNode spec;
    private final String type;
    private final FieldErrors errors;

    private ServiceValidation(JsonNode spec, FieldErrors errors) {
        this.spec = spec;
        this.type = KubeObject.text(spec, "type");
        this.errors = errors;
    }

    public static void validate(ObjectNode service, FieldErrors errors) {
        ServiceValidation check = new ServiceValidation(service.path("spec"), errors);
        check.type();
        check.ports();
        check.affinity();
        check.externalIps();
        check.sourceRanges();
        check.trafficPolicies();
        check.loadBalancerClass();
        MetadataValidation.labels(service.path("spec").path("selector"), "spec.selector", errors);
        ServiceIpValidation.validate(service.path("spec"), errors);
    }

    private void type() {
        if (type.isEmpty()) {
            errors.required("spec.type", "");
        } else if (!TYPES.contains(type)) {
            errors.notSupported("spec.type", type, TYPES);
        }
        boolean headless = KubeObject.text(spec, "clusterIP").equals("None");
        if (headless && (type.equals("LoadBalancer") || type.equals("NodePort"))) {
            errors.invalid(
                    "spec.clusterIPs[0]",
                    "None",
                    "may not be set to 'None' for " + type + " services");
        }
        if (type.equals("ExternalName")) {
            String external = KubeObject.text(spec, "externalName");
            // A trailing dot is a name that is complete as it is.
            String name = external.endsWith(".")
                    ? external.substring(0, external.length() - 1)
                    : external;
            if (external.isEmpty()) {
                errors.required("spec.externalName", "");
            } else {
                errors.invalid("spec.externalName", external, Names.dnsSubdomain(name));
            }
        } else if (spec.path("ports").isEmpty() && !headless) {
            errors.required("spec.ports", "");
        }
    }

    private void ports() {
        JsonNode ports = spec.path("ports");
        Set<String> names = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        Set<String> nodePorts = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            String field = "spec.ports[" + i + ']';
            JsonNode port = ports.get(i);
            port(port, field, ports.size() > 1, names);
            String protocol = KubeObject.text(port, "protocol");
            if (!numbers.add(protocol + port.path("port").asInt())) {
                errors.duplicate(field, port);
            }
            int nodePort = port.path("nodePort").asInt();
            if (nodePort != 0) {
                nodePort(nodePort, field + ".nodePort");
                if (!nodePorts.add(protocol + nodePort)) {
                    errors.duplicate(field + ".nodePort", nodePort);
                }
            }
        }
    }

    private void nodePort(int nodePort, String field) {
        if (type.equals("ClusterIP") || type.equals("ExternalName")) {
            errors.forbidden(field, "may not be used when `type` is '" + type + "'");
        }
        if (nodePort < 0 || nodePort > 65535) {
            errors.invalid(field, nodePort, Ports.RANGE);
        }
    }

    private void port(JsonNode port, String field, boolean needsName, Set<String> names) {
        String name = KubeObject.text(port, "name");
        if (!name.isEmpty()) {
            errors.invalid(field + ".name", name, Names.dnsLabel(name));
            if (!names.add(name)) {
                errors.duplicate(field + ".name", name);
            }
        } else if (needsName) {
            errors.required(field + ".name", "");
        }
        Ports.number(field + ".port", zeroIfMissing(port.path("port")), errors);
        Ports.protocol(field + ".protocol", KubeObject.text(port, "protocol"), errors);
        Ports.numberOrName(field + ".targetPort", zeroIfMissing(port.path("targetPort")), errors);
        String appProtocol = KubeObject.text(port, "appProtocol");
        if (!appProtocol.isEmpty()) {
            errors.invalid(field + ".appProtocol", appProtocol, Names.qualifiedName(appProtocol));
        }
        if (type.equals("LoadBalancer") && port.path("port").asInt() == KUBELET_PORT) {
            errors.invalid(
                    field,
                    KUBELET_PORT,
                    "may not expose port 10250 externally since it is used by kubelet");
        }
    }

    private static JsonNode zeroIfMissing(JsonNode node) {
        return node.isMissingNode() ? IntNode.valueOf(0) : node;
    }

    private void affinity() {
        String affinity = KubeObject.text(spec, "sessionAffinity");
        JsonNode config = spec.path("sessionAffinityConfig");
        if (affinity.isEmpty()) {
            errors.required("spec.sessionAffinity", "");
        } else if (!AFFINITIES.contains(affinity)) {
            errors.notSupported("spec.sessionAffinity", affinity, AFFINITIES);
        } else if (affinity.equals("None")) {
            if (!config.isMissingNode()) {
                errors.forbidden(
                        "spec.sessionAffinityConfig",
                        "must not be set when session affinity is None");
            }
        } else {
            affinitySeconds(config);
        }
    }

    private void affinitySeconds(JsonNode config) {
        String why = "when session affinity type is ClientIP";
        JsonNode seconds = config.path("clientIP").path("timeoutSeconds");
        if (config.isMissingNode()) {
            errors.required("spec.sessionAffinityConfig", why);
        } else if (config.path("clientIP").isMissingNode()) {
            errors.required("spec.sessionAffinityConfig.clientIP", why);
        } else if (seconds.isMissingNode()) {
            errors.required("spec.sessionAffinityConfig.clientIP.timeoutSeconds", why);
        } else if (seconds.asInt() < 1 || seconds.asInt() > MAX_AFFINITY_SECONDS) {
            errors.invalid(
                    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
                    seconds,
                    "must be greater than 0 and less than " + MAX_AFFINITY_SECONDS);
        }
    }

    private void externalIps() {
        JsonNode addresses = spec.path("externalIPs");
        for (int i = 0; i < addresses.size(); i++) {
            Addresses.unicast("spec.externalIPs[" + i + ']', addresses.get(i).asText(), errors);
        }
    }

    private void sourceRanges() {
        JsonNode ranges = spec.path("loadBalancerSourceRanges");
        if (!ranges.isEmpty() && !type.equals("LoadBalancer")) {
            errors.forbidden(
                    "spec.loadBalancerSourceRanges",
                    "may only be used when `type` is 'LoadBalancer'");
        }
        for (int i = 0; i < ranges.size(); i++) {
            String range = ranges.get(i).asText();
            if (Cidr.parse(range.strip()).isEmpty()) {
                errors.invalid(
                        "spec.loadBalancerSourceRanges[" + i + ']', range, Addresses.NOT_A_CIDR);
            }
        }
    }

    private void trafficPolicies() {
        String external = KubeObject.text(spec, "externalTrafficPolicy");
        boolean accessible = externallyAccessible(spec);
        if (!accessible && !external.isEmpty()) {
            errors.invalid(
                    "spec.externalTrafficPolicy",
                    external,
                    "may only be set for externally-accessible services");
        } else if (accessible && !POLICIES.contains(external)) {
            errors.notSupported("spec.externalTrafficPolicy", external, POLICIES);
        }
        JsonNode health = spec.path("healthCheckNodePort");
        if (health.asInt() != 0 && !needsHealthCheck(spec)) {
            errors.invalid(
                    "spec.healthCheckNodePort",
                    health,
                    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
        } else if (health.asInt() != 0) {
            Ports.number("spec.healthCheckNodePort", health, errors);
        }
        String internal = KubeObject.text(spec, "internalTrafficPolicy");
        if (!internal.isEmpty() && !POLICIES.contains(internal)) {
            errors.notSupported("spec.internalTrafficPolicy", internal, POLICIES);
        }
        String distribution = KubeObject.text(spec, "trafficDistribution");
        if (!distribution.isEmpty() && !DISTRIBUTIONS.contains(distribution)) {
            errors.notSupported("spec.trafficDistribution", distribution, DISTRIBUTIONS);
        }
    }

    private void loadBalancerClass() {
        String name = KubeObject.text(spec, "loadBalancerClass");
        if (!name.isEmpty()) {
            errors.invalid("spec.loadBalancerClass", name, Names.qualifiedName(name));
        }
        if (type.equals("LoadBalancer")) {
            return;
        }
        if (!name.isEmpty()) {
            errors.forbidden(
                    "spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'");
        }
        if (spec.has("allocateLoadBalancerNodePorts")) {
            errors.forbidden(
                    "spec.allocateLoadBalancerNodePorts",
                    "may only be used when `type` is 'LoadBalancer'");
        }
    }

    public static void validateUpdate(ObjectNode service, ObjectNode old, FieldErrors errors) {
        JsonNode now = service.path("spec");
        JsonNode before = old.path("spec");
        ServiceIpValidation.validateUpdate(now, before, errors);
        boolean balancer = KubeObject.text(before, "type").equals("LoadBalancer")
                && KubeObject.text(now, "type").equals("LoadBalancer");
        JsonNode name = now.path("loadBalancerClass");
        if (balancer && !Same.same(name, before.path("loadBalancerClass"))) {
            errors.invalid("spec.loadBalancerClass", name, "may not change once set");
        }
    }

    /** What a status update may say. */
    public static void validateStatus(ObjectNode service, FieldErrors errors) {
        JsonNode ingress = service.path("status").path("loadBalancer").path("ingress");
        boolean balancer = KubeObject.text(service.path("spec"), "type").equals("LoadBalancer");
        if (!ingress.isEmpty() && !balancer) {
            errors.forbidden(
                    "status.loadBalancer.ingress",
                    "may only be used when `spec.type` is \"LoadBalancer\"");
        }
        for (int i = 0; i < ingress.size(); i++) {
            ingress(ingress.get(i), "status.loadBalancer.ingress[" + i + ']', errors);
        }
    }

    private static void ingress(JsonNode ingress, String field, FieldErrors errors) {
        String ip = KubeObject.text(ingress, "ip");
        String hostname = KubeObject.text(ingress, "hostname");
        String mode = KubeObject.text(ingress, "ipMode");
        if (!ip.isEmpty() && IpAddress.parse(ip).isEmpty()) {
            errors.invalid(field + ".ip", ip, Addresses.NOT_AN_IP);
        }
        if (ip.isEmpty() && !mode.isEmpty()) {
            errors.forbidden(field + ".ipMode", "may not be specified when `ip` is not set");
        }
        if (!mode.isEmpty() && !List.of("VIP", "Proxy").contains(mode)) {
            errors.notSupported(field + ".ipMode", mode, List.of("Proxy", "VIP"));
        }
        if (!hostname.isEmpty()) {
            errors.invalid(field + ".hostname", hostname, Names.dnsSubdomain(hostname));
        }
    }

    /** Reached from outside the cluster: only then an external traffic policy means something. */
    public static boolean externallyAccessible(JsonNode spec) {
        String type = KubeObject.text(spec, "type");
        return type.equals("LoadBalancer")
                || type.equals("NodePort")
                || type.equals("ClusterIP") && !spec.path("externalIPs").isEmpty();
    }

    /** Load balancers ask each node whether it has local endpoints. */
    public static boolean needsHealthCheck(JsonNode spec) {
        return KubeObject.text(spec, "type").equals("LoadBalancer")
                && KubeObject.text(spec, "externalTrafficPolicy").equals("Local");
    }
}
