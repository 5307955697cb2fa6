package io.sluice.apiserver.discovery;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.http.HttpExchange;
import io.sluice.apiserver.openapi.OpenApi;
import io.sluice.apiserver.registry.Registry;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.rest.Negotiation;
import io.sluice.apiserver.rest.Query;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Answers requests at paths that name no resource. */
public final class OtherPaths {
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String AGGREGATED = "APIGroupDiscoveryList";
    private static final String DISCOVERY_GROUP = "apidiscovery.k8s.io";

    private final DiscoveryDocuments documents;
    private final ObjectNode version;
    private final List<HealthChecks> health;
    private final Supplier<byte[]> metrics;
    private final OpenApi openApi;

    public OtherPaths(
            Registry registry,
            String serverAddress,
            ObjectNode version,
            List<HealthChecks> health,
            Supplier<byte[]> metrics,
            OpenApi openApi) {
        this.documents = new DiscoveryDocuments(registry, serverAddress);
        this.version = version;
        this.health = List.copyOf(health);
        this.metrics = metrics;
        this.openApi = openApi;
    }

    /** @throws io.sluice.apiserver.registry.ApiException 404, 405, 406 */
    public void serve(HttpExchange exchange, String path, Query query) {
        if (!exchange.head().method().equals("GET")) {
            throw Statuses.methodNotAllowed();
        }
        List<String> parts = List.of(path.substring(1).split("/"));
        switch (parts.getFirst()) {
            case "api" -> discovery(exchange, parts, true);
            case "apis" -> discovery(exchange, parts, false);
            case "openapi" -> openApi(exchange, parts);
            case "version" -> exactly(parts, 1, () -> send(exchange, JSON, version));
            case "metrics" ->
                exactly(
                        parts,
                        1,
                        () -> exchange.respond(
                                200, "text/plain; version=0.0.4; charset=utf-8", metrics.get()));
            default -> health(exchange, path, query);
        }
    }

    private static void exactly(List<String> parts, int count, Runnable action) {
        if (parts.size() != count) {
            throw Statuses.unknownPath();
        }
        action.run();
    }

    private void discovery(HttpExchange exchange, List<String> parts, boolean core) {
        if (parts.size() == 1) {
            root(exchange, core);
            return;
        }
        Optional<ObjectNode> found = core
                ? parts.size() == 2 ? documents.resources("", parts.get(1)) : Optional.empty()
                : switch (parts.size()) {
                    case 2 -> documents.group(parts.get(1));
                    case 3 -> documents.resources(parts.get(1), parts.get(2));
                    default -> Optional.empty();
                };
        Negotiation.choose(exchange.head().header("accept"));
        send(exchange, JSON, found.orElseThrow(Statuses::unknownPath));
    }

    private void root(HttpExchange exchange, boolean core) {
        String accept = exchange.head().header("accept");
        List<Negotiation.MediaType> wanted = Negotiation.parse(accept.isBlank() ? JSON : accept);
        for (Negotiation.MediaType entry : wanted) {
            if (!Negotiation.isJson(entry)) {
                continue;
            }
            String version = entry.parameter("v");
            boolean aggregated = entry.parameter("as").equals(AGGREGATED)
                    && entry.parameter("g").equals(DISCOVERY_GROUP)
                    && (version.equals("v2") || version.equals("v2beta1"));
            if (aggregated) {
                sendTagged(
                        exchange,
                        JSON + ";g=" + DISCOVERY_GROUP + ";v=" + version + ";as=" + AGGREGATED,
                        Json.bytes(documents.aggregated(core, version)));
                return;
            }
            if (entry.parameter("as").isEmpty()) {
                send(exchange, JSON, core ? documents.coreVersions() : documents.groups());
                return;
            }
        }
        throw Statuses.notAcceptable(Negotiation.PRODUCED);
    }

    private void openApi(HttpExchange exchange, List<String> parts) {
        String rest = String.join("/", parts.subList(Math.min(2, parts.size()), parts.size()));
        String dialect = parts.size() > 1 ? parts.get(1) : "";
        if (dialect.equals("v2") && rest.isEmpty()) {
            boolean protobuf = exchange.head().header("accept").contains(OpenApi.PROTOBUF_FAMILY);
            OpenApi.Document document =
                    protobuf ? openApi.version2Protobuf() : openApi.version2Document();
            sendTagged(exchange, protobuf ? OpenApi.PROTOBUF : JSON, document.bytes());
            return;
        }
        Optional<OpenApi.Document> found = switch (dialect) {
            case "v3" ->
                rest.isEmpty() ? Optional.of(openApi.index()) : openApi.version3Document(rest);
            default -> Optional.empty();
        };
        sendTagged(exchange, JSON, found.orElseThrow(Statuses::unknownPath).bytes());
    }

    private void health(HttpExchange exchange, String path, Query query) {
        for (HealthChecks checks : health) {
            String root = '/' + checks.name();
            if (path.equals(root)) {
                answer(
                        exchange,
                        checks.all(
                                query.has("verbose"),
                                query.values().getOrDefault("exclude", List.of())));
                return;
            }
            if (path.startsWith(root + '/')) {
                answer(
                        exchange,
                        checks.one(path.substring(root.length() + 1))
                                .orElseThrow(Statuses::unknownPath));
                return;
            }
        }
        throw Statuses.unknownPath();
    }

    private static void answer(HttpExchange exchange, HealthChecks.Answer answer) {
        exchange.addHeader("X-Content-Type-Options", "nosniff");
        exchange.respond(answer.code(), TEXT, answer.text().getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, String contentType, ObjectNode document) {
        exchange.respond(200, contentType, Json.bytes(document));
    }

    /** Clients keep such documents, and ask whether they changed. */
    private static void sendTagged(HttpExchange exchange, String contentType, byte[] document) {
        String tag = '"'
                + HexFormat.of().withUpperCase().formatHex(DiscoveryDocuments.sha256(document))
                + '"';
        exchange.addHeader("ETag", tag);
        exchange.addHeader("Vary", "Accept");
        if (exchange.head().header("if-none-match").contains(tag)) {
            exchange.respond(304, contentType, new byte[0]);
            return;
        }
        try (var out = exchange.stream(200, contentType)) {
            out.write(document);
        } catch (java.io.IOException e) {
            exchange.cut();
        }
    }
}
