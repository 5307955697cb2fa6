package io.sluice.dataplane.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;
import io.sluice.dataplane.conductor.Conductor;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.dataplane.http.HttpReply;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Explainer;
import io.sluice.endpoints.Explanation;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.kernel.KernelException;
import io.sluice.rules.Fate;
import io.sluice.rules.Trace;

import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What the proxy thinks, as JSON; and as text where {@code format=text} asks for it. Thread-safe. */
final class DebugPages {
    private final Conductor conductor;
    private final ProxyMode mode;
    private final RuleBook rules;
    private final Supplier<ObjectNode> status;

    DebugPages(Conductor conductor, ProxyMode mode, RuleBook rules, Supplier<ObjectNode> status) {
        this.conductor = conductor;
        this.mode = mode;
        this.rules = rules;
        this.status = status;
    }

    HttpReply handle(String path, Map<String, List<String>> query) {
        return switch (path) {
            case "/debug/status" -> HttpReply.json(200, Json.pretty(status.get()) + '\n');
            case "/debug/image" -> HttpReply.json(200, Json.pretty(image()) + '\n');
            case "/debug/explain" -> explain(query);
            case "/debug/rules" -> rules(query);
            default ->
                HttpReply.text(
                        404,
                        "no such page; there are /debug/status, /debug/image, /debug/rules and /debug/explain?target=\n");
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
        boolean text = query.getOrDefault("format", List.of("json")).contains("text");
        List<String> from = query.getOrDefault("from", List.of());
        if (!from.isEmpty()) {
            return follow(view, parsed.get(), from.getFirst(), text);
        }
        Explanation explanation = new Explainer(
                        view.image(), view.node(), rules.nodePortAddresses(), view.interfaces())
                .explain(
                        parsed.get().address(),
                        parsed.get().port(),
                        parsed.get().protocol());
        return text
                ? HttpReply.text(200, explanation.toText())
                : HttpReply.json(200, Json.pretty(explanation.toJson()) + '\n');
    }

    /** One packet's way through the rules of the mode that runs. */
    private HttpReply follow(Conductor.View view, Target target, String from, boolean text) {
        if (!RuleBook.has(mode)) {
            return HttpReply.text(400, RuleBook.why(mode) + "; ask without from=\n");
        }
        Optional<RuleBook.Client> client =
                rules.client(view, from, target.address().family());
        if (client.isEmpty()) {
            return HttpReply.text(
                    400,
                    "from \"" + from
                            + "\" is nobody here: it is pod (with a local-traffic detector), node, outside, or an address of the target's family\n");
        }
        Trace trace;
        try {
            trace = rules.trace(
                    mode, view, client.get(), target.address(), target.port(), target.protocol());
        } catch (IOException e) {
            return HttpReply.text(400, e.getMessage() + '\n');
        }
        if (text) {
            StringBuilder out = new StringBuilder();
            out.append("from ")
                    .append(from)
                    .append(" (")
                    .append(client.get().address())
                    .append(") to ");
            out.append(target.address().withPort(target.port()))
                    .append(": ")
                    .append(words(trace.fate()));
            trace.steps().forEach(step -> out.append("\n  ").append(step));
            return HttpReply.text(200, out.append('\n').toString());
        }
        ObjectNode out = Json.object()
                .put("from", from)
                .put("source", client.get().address().toString())
                .put("target", target.address().withPort(target.port()))
                .put("fate", words(trace.fate()));
        trace.steps().forEach(out.putArray("rules")::add);
        return HttpReply.json(200, Json.pretty(out) + '\n');
    }

    private static String words(Fate fate) {
        return switch (fate) {
            case Fate.Forward forward ->
                "forwarded to " + String.join(" or ", forward.endpoints())
                        + (forward.masqueraded()
                                ? ", which sees the node's address"
                                : ", which sees the client's address");
            case Fate.Reject reject -> "refused";
            case Fate.Drop drop -> "dropped, the client hears nothing";
            case Fate.Untouched untouched -> "no rule of ours speaks of it";
        };
    }

    private HttpReply rules(Map<String, List<String>> query) {
        String word = query.getOrDefault("mode", List.of(mode.word())).getFirst();
        Optional<ProxyMode> asked = Arrays.stream(ProxyMode.values())
                .filter(known -> known.word().equals(word))
                .findFirst();
        if (asked.isEmpty() || !RuleBook.has(asked.get())) {
            return HttpReply.text(
                    400,
                    asked.map(RuleBook::why).orElse("mode \"" + word + "\" is unknown") + '\n');
        }
        Conductor.View view = conductor.view();
        if (!query.containsKey("diff")) {
            return HttpReply.text(200, rules.text(asked.get(), view));
        }
        try {
            List<String> lines = rules.differences(asked.get(), view);
            return HttpReply.text(200, lines.isEmpty() ? "" : String.join("\n", lines) + '\n');
        } catch (KernelException e) {
            return HttpReply.text(500, e.getMessage() + '\n');
        } catch (IOException e) {
            return HttpReply.text(400, e.getMessage() + '\n');
        }
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
