package io.sluice.cli.packets;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Service with its endpoints as the table's first two columns describe them; rows that say the same share it.
 *
 * @param number tells its addresses and its name from those of others; 1…250
 * @param shape the first column
 * @param endpoints the second column
 */
record Situation(int number, String shape, String endpoints) {
    static final String NAMESPACE = "default";
    private static final int AFFINITY_SECONDS = 600;

    /** One endpoint of the second column. */
    private record Member(String pod, int port, List<String> words) {
        static Member parse(String text) {
            List<String> words = new ArrayList<>(List.of(text.strip().split(" ")));
            String pod = words.removeFirst();
            int port = LabPlan.POD_PORT;
            if (words.contains("port")) {
                words.remove("port");
                port = Integer.parseInt(words.removeFirst());
            }
            if (!LabPlan.PODS.contains(pod)) {
                throw new IllegalArgumentException("no such pod: " + text);
            }
            return new Member(pod, port, words);
        }
    }

    String name() {
        return "s" + number;
    }

    private List<Member> members() {
        return endpoints.equals("none")
                ? List.of()
                : Stream.of(endpoints.split(",")).map(Member::parse).toList();
    }

    /** The first endpoint on node A. */
    Optional<String> hairpinPod() {
        return members().stream().map(Member::pod).filter(LabPlan::onNodeA).findFirst();
    }

    private boolean says(String word) {
        return Stream.of(shape.split(",")).anyMatch(part -> part.strip().equals(word));
    }

    boolean sticky() {
        return says("affinity");
    }

    /** Where its clients knock. */
    IpAddress address(Knock knock, IpFamily family) {
        return switch (knock) {
            case CLUSTER_IP, UNUSED_PORT -> LabPlan.clusterIp(number, family);
            case EXTERNAL_IP -> LabPlan.externalIp(number, family);
            case VIP -> LabPlan.vip(number, family);
            case UNALLOCATED -> LabPlan.unallocated(number, family);
            case NODE_PORT -> LabPlan.nodeA(family);
            case OTHER_NODE_PORT -> LabPlan.nodeAOutside(family);
            case LOCAL_NODE_PORT -> LabPlan.localhost(family);
        };
    }

    int port(Knock knock) {
        return switch (knock) {
            case CLUSTER_IP, EXTERNAL_IP, VIP, UNALLOCATED -> LabPlan.SERVICE_PORT;
            case UNUSED_PORT -> LabPlan.UNUSED_PORT;
            case NODE_PORT, OTHER_NODE_PORT, LOCAL_NODE_PORT -> LabPlan.nodePort(number);
        };
    }

    /** The Service without its status. */
    ObjectNode service(List<Protocol> protocols) {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "Service");
        out.putObject("metadata").put("name", name()).put("namespace", NAMESPACE);
        ObjectNode spec = out.putObject("spec").put("type", "LoadBalancer");
        spec.put("clusterIP", LabPlan.clusterIp(number, IpFamily.IPV4).toString());
        spec.put("ipFamilyPolicy", "RequireDualStack");
        ArrayNode families = spec.putArray("ipFamilies");
        ArrayNode clusterIps = spec.putArray("clusterIPs");
        ArrayNode externalIps = spec.putArray("externalIPs");
        for (IpFamily family : IpFamily.values()) {
            families.add(family.text());
            clusterIps.add(LabPlan.clusterIp(number, family).toString());
            externalIps.add(LabPlan.externalIp(number, family).toString());
        }
        ArrayNode ports = spec.putArray("ports");
        for (Protocol protocol : protocols) {
            ports.addObject()
                    .put("name", protocol.name().toLowerCase())
                    .put("protocol", protocol.name())
                    .put("port", LabPlan.SERVICE_PORT)
                    .put("nodePort", LabPlan.nodePort(number));
        }
        shape(spec);
        return out;
    }

    private void shape(ObjectNode spec) {
        for (String part : shape.split(",")) {
            switch (part.strip()) {
                case "Cluster", "ipMode Proxy" -> {}
                // Left open, the port would be any, and could be a node port of the table.
                case "etp Local" ->
                    spec.put("externalTrafficPolicy", "Local")
                            .put("healthCheckNodePort", LabPlan.healthCheckNodePort(number));
                case "itp Local" -> spec.put("internalTrafficPolicy", "Local");
                case "affinity" ->
                    spec.put("sessionAffinity", "ClientIP")
                            .putObject("sessionAffinityConfig")
                            .putObject("clientIP")
                            .put("timeoutSeconds", AFFINITY_SECONDS);
                case "ranges outside" -> ranges(spec, "198.51.100.0/24", "2001:db8:98::/64");
                case "ranges node" -> ranges(spec, "192.0.2.1/32", "2001:db8:99::1/128");
                case "ranges pods" -> ranges(spec, LabPlan.POD_RANGES.split(","));
                default -> throw new IllegalArgumentException("no such shape: " + part);
            }
        }
    }

    private static void ranges(ObjectNode spec, String... ranges) {
        ArrayNode array = spec.putArray("loadBalancerSourceRanges");
        Stream.of(ranges).forEach(array::add);
    }

    /** Gives a Service the status that a load balancer gives it. */
    ObjectNode withStatus(ObjectNode service) {
        ArrayNode ingress =
                service.putObject("status").putObject("loadBalancer").putArray("ingress");
        for (IpFamily family : IpFamily.values()) {
            ingress.addObject()
                    .put("ip", LabPlan.vip(number, family).toString())
                    .put("ipMode", says("ipMode Proxy") ? "Proxy" : "VIP");
        }
        return service;
    }

    /** The same Service with other endpoints. */
    Situation with(String changed) {
        return new Situation(number, shape, changed);
    }

    /** One slice for each family and endpoint. */
    List<ObjectNode> slices(List<Protocol> protocols) {
        List<ObjectNode> out = new ArrayList<>();
        for (Member member : members()) {
            for (IpFamily family : IpFamily.values()) {
                out.add(slice(member, family, protocols));
            }
        }
        return out;
    }

    private ObjectNode slice(Member member, IpFamily family, List<Protocol> protocols) {
        ObjectNode out =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        out.putObject("metadata")
                .put(
                        "name",
                        name()
                                + '-'
                                + member.pod()
                                + '-'
                                + member.port()
                                + '-'
                                + family.text().toLowerCase())
                .put("namespace", NAMESPACE)
                .putObject("labels")
                .put("kubernetes.io/service-name", name());
        out.put("addressType", family.text());
        ArrayNode ports = out.putArray("ports");
        for (Protocol protocol : protocols) {
            ports.addObject()
                    .put("name", protocol.name().toLowerCase())
                    .put("protocol", protocol.name())
                    .put("port", member.port());
        }
        ObjectNode endpoint = out.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(LabPlan.pod(member.pod(), family).toString());
        endpoint.put("nodeName", LabPlan.onNodeA(member.pod()) ? LabPlan.NODE_A : LabPlan.NODE_B);
        conditions(member, endpoint);
        return out;
    }

    private static void conditions(Member member, ObjectNode endpoint) {
        String words = String.join(" ", member.words());
        boolean ready = words.isEmpty() || words.startsWith("zone-");
        boolean serving = ready || words.equals("terminating");
        boolean terminating = words.equals("terminating") || words.equals("ending");
        if (!ready && !terminating && !words.equals("not ready")) {
            throw new IllegalArgumentException("no such state of an endpoint: " + words);
        }
        endpoint.putObject("conditions")
                .put("ready", ready)
                .put("serving", serving)
                .put("terminating", terminating);
        if (words.startsWith("zone-")) {
            endpoint.put("zone", words);
            endpoint.putObject("hints").putArray("forZones").addObject().put("name", words);
        }
    }
}
