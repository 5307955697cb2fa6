package io.sluice.dataplane.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.http.HttpReply;
import io.sluice.dataplane.http.HttpServer;
import io.sluice.dataplane.metrics.ProxyMetrics;

import java.util.List;
import java.util.Map;

/** The metrics server's pages: kube-proxy's, and the debug pages. Thread-safe. */
final class MetricsPages implements HttpServer.Handler {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final ProxyConfig config;
    private final ProxyMetrics metrics;
    private final DebugPages debug;

    MetricsPages(ProxyConfig config, ProxyMetrics metrics, DebugPages debug) {
        this.config = config;
        this.metrics = metrics;
        this.debug = debug;
    }

    @Override
    public HttpReply handle(String method, String path, Map<String, List<String>> query) {
        return switch (path) {
            case "/metrics" -> new HttpReply(200, PROMETHEUS, Map.of(), metrics.scrape());
            case "/healthz" -> HttpReply.text(200, "ok");
            case "/proxyMode" -> HttpReply.text(200, config.mode().word());
            case "/configz" -> {
                ObjectNode body = Json.object();
                body.set("kubeproxy.config.k8s.io", config.effective());
                yield HttpReply.json(200, body.toString());
            }
            default ->
                path.startsWith("/debug/")
                        ? debugPage(path, query)
                        : HttpReply.text(404, "404 page not found\n");
        };
    }

    /** Debugging shows every Service, so it is served on loopback only. */
    private HttpReply debugPage(String path, Map<String, List<String>> query) {
        boolean loopback =
                BindAddress.parse(config.metricsBindAddress()).getAddress().isLoopbackAddress();
        return loopback
                ? debug.handle(path, query)
                : HttpReply.text(
                        403, "debug pages are served on a loopback metrics address only\n");
    }
}
