package io.sluice.dataplane.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;
import io.sluice.dataplane.conductor.Conductor;
import io.sluice.dataplane.http.HttpReply;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Explainer;
import io.sluice.endpoints.Explanation;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.ServicePortImage;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What the proxy thinks, as JSON; and as text where {@code format=text} asks for it. Thread-safe. */
final class DebugPages {
    private final Conductor conductor;
    private final NodePortAddresses nodePortAddresses;
    private final Supplier<ObjectNode> status;

    DebugPages(
            Conductor conductor, NodePortAddresses nodePortAddresses, Supplier<ObjectNode> status) {
        this.conductor = conductor;
        this.nodePortAddresses = nodePortAddresses;
        this.status = status;
    }

    HttpReply handle(String path, Map<String, List<String>> query) {
        return switch (path) {
            case "/debug/status" -> HttpReply.json(200, Json.pretty(status.get()) + '\n');
            case "/debug/image" -> HttpReply.json(200, Json.pretty(image()) + '\n');
            case "/debug/explain" -> explain(query);
            default ->
                HttpReply.text(
                        404,
                        "no such page; there are /debug/status, /debug/image and /debug/explain?target=\n");
        };
    }

    private HttpReply explain(Map<String, List<String>> query) {
        String target = query.getOrDefault("target", List.of("")).getFirst();
        Optional<Target> parsed = Target.parse(target);
        if (parsed.isEmpty()) {
            return HttpReply.text(
                    400,
                    "target \"" + target
                            + "\" is not ADDRESS:PORT or ADDRESS:PORT/udp; IPv6 goes in brackets\n");
        }
        Conductor.View view = conductor.view();
        Explanation explanation = new Explainer(
                        view.image(), view.node(), nodePortAddresses, view.interfaces())
                .explain(
                        parsed.get().address(),
                        parsed.get().port(),
                        parsed.get().protocol());
        return query.getOrDefault("format", List.of("json")).contains("text")
                ? HttpReply.text(200, explanation.toText())
                : HttpReply.json(200, Json.pretty(explanation.toJson()) + '\n');
    }

    private ObjectNode image() {
        ObjectNode out = Json.object();
        ArrayNode ports = out.putArray("servicePorts");
        conductor.view().image().ports().stream()
                .sorted(Comparator.comparing(ServicePortImage::name))
                .forEach(port -> describe(ports.addObject(), port));
        return out;
    }

    private static void describe(ObjectNode out, ServicePortImage port) {
        out.put("namespace", port.name().service().namespace())
                .put("service", port.name().service().name())
                .put("port", port.name().port())
                .put("protocol", port.name().protocol().name())
                .put("family", port.name().family().text())
                .put("clusterIP", port.clusterIp().withPort(port.port()));
        if (port.nodePort() != 0) {
            out.put("nodePort", port.nodePort());
        }
        addresses(out, "externalIPs", port.externalIps());
        addresses(out, "loadBalancerIPs", port.vips());
        out.put("internalTrafficPolicy", port.internalLocal() ? "Local" : "Cluster")
                .put("externalTrafficPolicy", port.externalLocal() ? "Local" : "Cluster");
        ArrayNode cluster = out.putArray("clusterEndpoints");
        port.endpoints().cluster().stream().map(Backend::text).forEach(cluster::add);
        ArrayNode local = out.putArray("localEndpoints");
        port.endpoints().local().stream().map(Backend::text).forEach(local::add);
        out.put("leftOut", port.endpoints().leftOut().size());
    }

    private static void addresses(ObjectNode out, String field, List<IpAddress> addresses) {
        if (!addresses.isEmpty()) {
            ArrayNode array = out.putArray(field);
            addresses.forEach(address -> array.add(address.toString()));
        }
    }

    /** What somebody asks about. */
    record Target(IpAddress address, int port, Protocol protocol) {

        static Optional<Target> parse(String text) {
            int slash = text.indexOf('/');
            String protocol =
                    slash < 0 ? "TCP" : text.substring(slash + 1).toUpperCase(Locale.ROOT);
            String rest = slash < 0 ? text : text.substring(0, slash);
            int colon = rest.lastIndexOf(':');
            boolean known = List.of("TCP", "UDP", "SCTP").contains(protocol);
            if (colon < 0 || !known || !rest.substring(colon + 1).matches("[0-9]{1,5}")) {
                return Optional.empty();
            }
            int port = Integer.parseInt(rest.substring(colon + 1));
            String address = rest.substring(0, colon).replaceAll("^\\[|]$", "");
            return port > 65_535
                    ? Optional.empty()
                    : IpAddress.parse(address)
                            .map(ip -> new Target(ip, port, Protocol.valueOf(protocol)));
        }
    }
}
