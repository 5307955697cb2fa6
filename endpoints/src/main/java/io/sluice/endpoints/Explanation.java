package io.sluice.endpoints;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Why an address answers, or does not.
 *
 * @param target {@code address:port/protocol}
 * @param node this node's name
 * @param owner the Service port that owns the frontend
 * @param hints what to look at and other claimants where there is an owner, else the nearest guesses
 */
public record Explanation(String target, String node, Optional<Owner> owner, List<String> hints) {
    private static final int MOST_BACKENDS = 10;
    private static final int MOST_LEFT_OUT = 20;

    /** Who owns the frontend and what it does. */
    public record Owner(ServicePortImage port, Frontend frontend, List<Outcome> outcomes) {

        /** Endpoints that some client of this frontend is not led to. */
        public List<LeftOut> leftOut() {
            return port.endpoints().leftOut().stream()
                    .filter(out -> !outcomes.stream().allMatch(outcome -> outcome.reaches(out)))
                    .toList();
        }
    }

    /** What a client of one class gets. */
    public record Outcome(SourceClass from, Decision decision) {
        boolean reaches(LeftOut out) {
            return decision instanceof Decision.Forward forward
                    && forward.backends().stream()
                            .anyMatch(backend -> backend.port() == out.port()
                                    && backend.address().equals(out.address()));
        }
    }

    /** For people: one fact a line. */
    public String toText() {
        StringBuilder out = new StringBuilder();
        out.append(target).append(" on node ").append(node).append('\n');
        if (owner.isEmpty()) {
            out.append("  no Service owns it: connections are left to the host\n");
        }
        owner.ifPresent(found -> ownerText(out, found));
        hints.forEach(hint -> out.append("  note: ").append(hint).append('\n'));
        return out.toString();
    }

    private static void ownerText(StringBuilder out, Owner owner) {
        ServicePortImage port = owner.port();
        out.append("  Service ")
                .append(port.name())
                .append(", ")
                .append(owner.frontend().kind().text());
        out.append("; policy internal ").append(port.internalLocal() ? "Local" : "Cluster");
        out.append(", external ").append(port.externalLocal() ? "Local" : "Cluster");
        if (port.affinitySeconds() > 0) {
            out.append("; a client stays with its endpoint for ")
                    .append(port.affinitySeconds())
                    .append(" s");
        }
        out.append('\n');
        for (Outcome outcome : owner.outcomes()) {
            out.append("  from ").append(word(outcome.from())).append(": ");
            out.append(decisionText(outcome.decision())).append('\n');
        }
        leftOutText(out, owner.leftOut());
    }

    private static void leftOutText(StringBuilder out, List<LeftOut> leftOut) {
        for (LeftOut endpoint : leftOut.subList(0, Math.min(leftOut.size(), MOST_LEFT_OUT))) {
            String address = endpoint.port() == 0
                    ? endpoint.address().toString()
                    : endpoint.address().withPort(endpoint.port());
            out.append("  left out: ").append(address);
            if (!endpoint.target().isEmpty()) {
                out.append(" (").append(endpoint.target()).append(')');
            }
            out.append(": ").append(endpoint.detail()).append('\n');
        }
        if (leftOut.size() > MOST_LEFT_OUT) {
            out.append("  left out: and ")
                    .append(leftOut.size() - MOST_LEFT_OUT)
                    .append(" more\n");
        }
    }

    private static String decisionText(Decision decision) {
        return switch (decision) {
            case Decision.Forward forward ->
                "forward to " + backendsText(forward.backends())
                        + (forward.keepSource() ? "" : " (sees the node's address)");
            case Decision.Reject reject -> "refuse: " + reject.why();
            case Decision.Drop drop -> "silence: " + drop.why();
        };
    }

    private static String backendsText(List<Backend> backends) {
        String some = backends.stream()
                .limit(MOST_BACKENDS)
                .map(Backend::text)
                .collect(Collectors.joining(", "));
        int more = backends.size() - MOST_BACKENDS;
        return more > 0 ? some + " and " + more + " more" : some;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** The same as JSON; field names are stable. */
    public ObjectNode toJson() {
        ObjectNode out = Json.object().put("target", target).put("node", node);
        owner.ifPresent(found -> ownerJson(out.putObject("owner"), found));
        ArrayNode notes = out.putArray("notes");
        hints.forEach(notes::add);
        return out;
    }

    private static void ownerJson(ObjectNode out, Owner owner) {
        ServicePortImage port = owner.port();
        out.put("namespace", port.name().service().namespace())
                .put("service", port.name().service().name())
                .put("port", port.name().port())
                .put("protocol", port.name().protocol().name())
                .put("frontend", owner.frontend().kind().text())
                .put("internalTrafficPolicy", port.internalLocal() ? "Local" : "Cluster")
                .put("externalTrafficPolicy", port.externalLocal() ? "Local" : "Cluster")
                .put("affinitySeconds", port.affinitySeconds());
        ArrayNode outcomes = out.putArray("outcomes");
        for (Outcome outcome : owner.outcomes()) {
            decisionJson(
                    outcomes.addObject().put("from", word(outcome.from())), outcome.decision());
        }
        leftOutJson(out.putArray("leftOut"), owner.leftOut());
    }

    private static void decisionJson(ObjectNode out, Decision decision) {
        switch (decision) {
            case Decision.Forward forward -> {
                out.put("action", "forward").put("keepSource", forward.keepSource());
                ArrayNode backends = out.putArray("endpoints");
                forward.backends().forEach(backend -> backends.add(backend.text()));
            }
            case Decision.Reject reject -> out.put("action", "reject").put("why", reject.why());
            case Decision.Drop drop -> out.put("action", "drop").put("why", drop.why());
        }
    }

    private static void leftOutJson(ArrayNode out, List<LeftOut> leftOut) {
        for (LeftOut endpoint : leftOut) {
            out.addObject()
                    .put("address", endpoint.address().toString())
                    .put("port", endpoint.port())
                    .put("node", endpoint.node())
                    .put("target", endpoint.target())
                    .put("reason", endpoint.reason().name())
                    .put("detail", endpoint.detail());
        }
    }
}
