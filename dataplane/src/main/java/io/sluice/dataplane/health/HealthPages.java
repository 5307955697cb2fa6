package io.sluice.dataplane.health;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.dataplane.http.HttpReply;
import io.sluice.dataplane.http.HttpServer;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** {@code /healthz} for load balancers and {@code /livez} for the kubelet. Thread-safe. */
public final class HealthPages implements HttpServer.Handler {
    private final ProxyHealth health;
    private final BiConsumer<String, Integer> counter;

    /** @param counter learns of each answer: page and status */
    public HealthPages(ProxyHealth health, BiConsumer<String, Integer> counter) {
        this.health = health;
        this.counter = counter;
    }

    @Override
    public HttpReply handle(String method, String path, Map<String, List<String>> query) {
        return switch (path) {
            case "/healthz" -> page("healthz", true);
            case "/livez" -> page("livez", false);
            default -> HttpReply.text(404, "404 page not found\n");
        };
    }

    private HttpReply page(String name, boolean withNode) {
        ProxyHealth.Report report = health.report();
        boolean good = report.healthy() && (!withNode || report.nodeEligible());
        // While all is well "last updated" means now: pages are read by machines that compare it
        // with their own clock.
        Instant last = good ? report.now() : report.lastUpdated();
        ObjectNode body = Json.object()
                .put("lastUpdated", last.toString())
                .put("currentTime", report.now().toString());
        if (withNode) {
            body.put("nodeEligible", report.nodeEligible());
        }
        body.put("healthy", report.healthy());
        ObjectNode status = body.putObject("status");
        report.families()
                .forEach((family, state) -> status.putObject(family.text())
                        .put("lastUpdated", state.lastUpdated().toString())
                        .put("healthy", state.healthy()));
        int code = good ? 200 : 503;
        counter.accept(name, code);
        return HttpReply.json(code, body.toString());
    }
}
