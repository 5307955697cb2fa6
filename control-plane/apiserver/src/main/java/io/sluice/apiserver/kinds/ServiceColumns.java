package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Column;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Table columns of Services. */
final class ServiceColumns {
    static final List<Column> ALL = List.of(
            Columns.text("Type", service -> KubeObject.text(service.path("spec"), "type")),
            Columns.text("Cluster-IP", ServiceColumns::clusterIp),
            Columns.text("External-IP", ServiceColumns::externalIp),
            Columns.text("Port(s)", ServiceColumns::ports),
            Columns.wide("Selector", service -> labels(service.path("spec").path("selector"))));

    private ServiceColumns() {}

    private static String clusterIp(ObjectNode service) {
        return Columns.orNone(service.path("spec").path("clusterIPs").path(0).asText(""));
    }

    private static String externalIp(ObjectNode service) {
        JsonNode spec = service.path("spec");
        List<String> external = texts(spec.path("externalIPs"));
        return switch (KubeObject.text(spec, "type")) {
            case "ClusterIP", "NodePort" -> Columns.orNone(String.join(",", external));
            case "LoadBalancer" -> {
                List<String> all = new ArrayList<>();
                for (JsonNode ingress :
                        service.path("status").path("loadBalancer").path("ingress")) {
                    String ip = KubeObject.text(ingress, "ip");
                    all.add(ip.isEmpty() ? KubeObject.text(ingress, "hostname") : ip);
                }
                all.addAll(external);
                yield all.isEmpty() ? "<pending>" : String.join(",", all);
            }
            case "ExternalName" -> KubeObject.text(spec, "externalName");
            default -> Columns.UNKNOWN;
        };
    }

    private static String ports(ObjectNode service) {
        List<String> out = new ArrayList<>();
        for (JsonNode port : service.path("spec").path("ports")) {
            int nodePort = port.path("nodePort").asInt();
            out.add(port.path("port").asInt()
                    + (nodePort > 0 ? ":" + nodePort : "")
                    + '/'
                    + KubeObject.text(port, "protocol"));
        }
        return Columns.orNone(String.join(",", out));
    }

    /** Sorted, as selectors are printed everywhere. */
    static String labels(JsonNode labels) {
        Map<String, String> sorted = new TreeMap<>(KubeObject.map(labels));
        return Columns.orNone(sorted.entrySet().stream()
                .map(entry -> entry.getKey() + '=' + entry.getValue())
                .collect(Collectors.joining(",")));
    }

    static List<String> texts(JsonNode list) {
        List<String> out = new ArrayList<>();
        list.forEach(item -> out.add(item.asText()));
        return out;
    }
}
