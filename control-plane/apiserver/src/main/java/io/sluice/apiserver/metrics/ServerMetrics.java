package io.sluice.apiserver.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.apiserver.http.HttpCounters;
import io.sluice.apiserver.watchcache.Caches;
import io.sluice.apiserver.watchcache.ResourceCache;
import io.sluice.store.Store;
import io.sluice.store.StoreStatus;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts requests as they end; reads everything else when it is asked. Thread-safe. */
public final class ServerMetrics {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Counter requests;
    private final Histogram durations;
    private final Gauge inFlight;
    private final Gauge longRunning;
    private final Gauge objects;
    private final Gauge watchers;
    private final Gauge history;
    private final Gauge watchersCut;
    private final Gauge store;
    private final Gauge connections;
    private final Gauge memory;
    private final AtomicInteger watching = new AtomicInteger();

    public ServerMetrics() {
        requests = Counter.builder()
                .name("apiserver_request_total")
                .help("Requests by verb, resource and answer")
                .labelNames("verb", "group", "version", "resource", "subresource", "scope", "code")
                .register(registry);
        durations = Histogram.builder()
                .name("apiserver_request_duration_seconds")
                .help("Seconds a request took, watches not counted")
                .labelNames("verb", "resource")
                .classicOnly()
                .classicUpperBounds(0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30)
                .register(registry);
        inFlight = gauge(
                "apiserver_current_inflight_requests", "Requests being answered", "request_kind");
        longRunning = gauge("apiserver_longrunning_requests", "Watches running", "verb");
        objects = gauge("apiserver_storage_objects", "Objects stored", "resource");
        watchers = gauge("apiserver_watch_cache_watchers", "Watchers of a cache", "resource");
        history = gauge("apiserver_watch_cache_capacity", "Recent changes held", "resource");
        watchersCut = gauge(
                "apiserver_terminated_watchers_total",
                "Watchers ended because they fell behind",
                "resource");
        store = gauge("sluice_store", "The store's own figures", "figure");
        connections = gauge(
                "sluice_apiserver_connections", "Connections by what became of them", "state");
        memory = gauge("process_memory_bytes", "Memory of this process", "kind");
    }

    private Gauge gauge(String name, String help, String label) {
        return Gauge.builder().name(name).help(help).labelNames(label).register(registry);
    }

    /** What a request was, for its labels. @param scope {@code resource}, {@code namespace} or {@code cluster} */
    public record Request(
            String verb,
            String group,
            String version,
            String resource,
            String subresource,
            String scope) {
        public static final Request OTHER = new Request("", "", "", "", "", "");
    }

    public void ended(Request request, int code, double seconds) {
        requests.labelValues(
                        request.verb(),
                        request.group(),
                        request.version(),
                        request.resource(),
                        request.subresource(),
                        request.scope(),
                        Integer.toString(code))
                .inc();
        if (!request.verb().equals("watch")) {
            durations.labelValues(request.verb(), request.resource()).observe(seconds);
        }
    }

    public void watchBegan() {
        watching.incrementAndGet();
    }

    public void watchEnded() {
        watching.decrementAndGet();
    }

    /** Everything in the text format. */
    public byte[] text(Caches caches, Store of, HttpCounters http, int reading, int mutating) {
        inFlight.labelValues("readOnly").set(reading);
        inFlight.labelValues("mutating").set(mutating);
        longRunning.labelValues("watch").set(watching.get());
        for (ResourceCache cache : caches.all()) {
            ResourceCache.Size size = cache.size();
            String name = cache.prefix()
                    .substring("/registry/".length(), cache.prefix().length() - 1);
            objects.labelValues(name).set(size.objects());
            watchers.labelValues(name).set(size.watchers());
            history.labelValues(name).set(size.history());
            watchersCut.labelValues(name).set(size.watchersCut());
        }
        readStore(of.status());
        connections.labelValues("open").set(http.connections());
        connections.labelValues("refused").set(http.connectionsRefused());
        connections.labelValues("handshake_failed").set(http.handshakesFailed());
        connections.labelValues("request_timed_out").set(http.requestsTimedOut());
        memory.labelValues("heap_used")
                .set(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        return write();
    }

    private void readStore(StoreStatus status) {
        store.labelValues("size_bytes").set(status.sizeOnDisk());
        store.labelValues("used_bytes").set(status.usedBytes());
        store.labelValues("keys").set(status.keys());
        store.labelValues("revision").set(status.revision());
        store.labelValues("compacted_revision").set(status.compactedRevision());
        store.labelValues("queue_depth").set(status.queueDepth());
        store.labelValues("refused_full").set(status.refusedFull());
        store.labelValues("refused_busy").set(status.refusedBusy());
    }

    private byte[] write() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(out, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("a byte array takes everything", e);
        }
        return out.toByteArray();
    }
}
