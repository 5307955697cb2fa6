package io.sluice.dataplane.metrics;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.EndpointChoice;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServiceTracker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.Optional;

/** The {@code kubeproxy_*} metrics of kube-proxy 1.36 that have a meaning in every mode. Updated by the conductor's thread. */
public final class ProxyMetrics {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Clock clock;
    private final long startedAt;
    private final Histogram syncDuration;
    private final Histogram programming;
    private final Gauge lastSync;
    private final Gauge lastQueued;
    private final Gauge endpointsPending;
    private final Gauge servicesPending;
    private final Counter endpointChanges;
    private final Counter serviceChanges;
    private final Gauge noLocalEndpoints;
    private final Counter healthz;
    private final Counter livez;
    private final Counter failures;
    private final Gauge notInPlace;
    private long endpointChangesSeen;
    private long serviceChangesSeen;

    public ProxyMetrics(Clock clock, String version) {
        this.clock = clock;
        this.startedAt = clock.millis();
        syncDuration = histogram(
                "kubeproxy_sync_proxy_rules_duration_seconds", "Seconds one sync took", doubling());
        programming = histogram(
                "kubeproxy_network_programming_duration_seconds",
                "Seconds from the change of an EndpointSlice until it was in force",
                programmingBuckets());
        lastSync = gauge(
                "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
                "When a sync last succeeded",
                "ip_family");
        lastQueued = gauge(
                "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
                "When a sync was last asked for",
                "ip_family");
        endpointsPending = gauge(
                "kubeproxy_sync_proxy_rules_endpoint_changes_pending",
                "Services with slice changes that wait");
        servicesPending = gauge(
                "kubeproxy_sync_proxy_rules_service_changes_pending", "Service changes that wait");
        endpointChanges = counter(
                "kubeproxy_sync_proxy_rules_endpoint_changes_total", "EndpointSlice changes seen");
        serviceChanges =
                counter("kubeproxy_sync_proxy_rules_service_changes_total", "Service changes seen");
        noLocalEndpoints = gauge(
                "kubeproxy_sync_proxy_rules_no_local_endpoints_total",
                "Service ports with a Local policy and endpoints on other nodes only",
                "traffic_policy",
                "ip_family");
        healthz = counter("kubeproxy_proxy_healthz_total", "Answers of /healthz", "code");
        livez = counter("kubeproxy_proxy_livez_total", "Answers of /livez", "code");
        failures = counter("sluice_sync_failures_total", "Syncs that failed as a whole");
        notInPlace = gauge(
                "sluice_objects_not_in_place", "Objects the last sync could not put in place");
        gauge("kubernetes_build_info", "Always 1", "git_version")
                .labelValues(version)
                .set(1);
        for (IpFamily family : IpFamily.values()) {
            noLocalEndpoints.labelValues("internal", family.text()).set(0);
            noLocalEndpoints.labelValues("external", family.text()).set(0);
        }
        ProcessMetrics.register(registry);
    }

    /** 1 ms to 16 s. */
    static double[] doubling() {
        double[] out = new double[15];
        for (int i = 0; i < out.length; i++) {
            out[i] = 0.001 * (1 << i);
        }
        return out;
    }

    /** 0.25, 0.5, then by 1 to 59, by 5 to 115, by 30 to 300. */
    private static double[] programmingBuckets() {
        double[] out = new double[2 + 59 + 12 + 7];
        int i = 0;
        out[i++] = 0.25;
        out[i++] = 0.5;
        for (int value = 1; value < 60; value++) {
            out[i++] = value;
        }
        for (int value = 60; value < 120; value += 5) {
            out[i++] = value;
        }
        for (int value = 120; value <= 300; value += 30) {
            out[i++] = value;
        }
        return out;
    }

    private Histogram histogram(String name, String help, double[] bounds) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames("ip_family")
                .classicOnly()
                .classicUpperBounds(bounds)
                .register(registry);
    }

    private Gauge gauge(String name, String help, String... labels) {
        return Gauge.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    private Counter counter(String name, String help, String... labels) {
        return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    /** For what others count. */
    public PrometheusRegistry registry() {
        return registry;
    }

    public void onQueued(ServiceTracker.Counts counts) {
        double now = clock.millis() / 1e3;
        for (IpFamily family : IpFamily.values()) {
            lastQueued.labelValues(family.text()).set(now);
        }
        onCounts(counts);
    }

    /** The applier took a delta in. @param problems how many objects are not in place all the same */
    public void onSynced(ProxyDelta delta, int problems, long nanos, ServiceTracker.Counts counts) {
        double now = clock.millis() / 1e3;
        for (IpFamily family : IpFamily.values()) {
            syncDuration.labelValues(family.text()).observe(nanos / 1e9);
            lastSync.labelValues(family.text()).set(now);
            DistributionDataPoint point = programming.labelValues(family.text());
            for (long trigger : delta.triggerTimes()) {
                if (trigger >= startedAt) {
                    point.observe(Math.max(0, clock.millis() - trigger) / 1e3);
                }
            }
        }
        notInPlace.set(problems);
        for (ProxyDelta.Change change : delta.changes()) {
            countNoLocal(change.before(), -1);
            countNoLocal(change.after(), 1);
        }
        onCounts(counts);
    }

    /** A sync failed inside. */
    public void onFailed() {
        failures.inc();
    }

    private void countNoLocal(Optional<ServicePortImage> image, int sign) {
        if (image.isEmpty()) {
            return;
        }
        ServicePortImage port = image.get();
        EndpointChoice endpoints = port.endpoints();
        if (!endpoints.anywhere() || !endpoints.local().isEmpty()) {
            return;
        }
        String family = port.name().family().text();
        if (port.internalLocal()) {
            noLocalEndpoints.labelValues("internal", family).inc(sign);
        }
        if (port.externalLocal()) {
            noLocalEndpoints.labelValues("external", family).inc(sign);
        }
    }

    private void onCounts(ServiceTracker.Counts counts) {
        endpointsPending.set(counts.pendingSliceServices());
        servicesPending.set(counts.pendingServices());
        endpointChanges.inc(counts.sliceChanges() - endpointChangesSeen);
        serviceChanges.inc(counts.serviceChanges() - serviceChangesSeen);
        endpointChangesSeen = counts.sliceChanges();
        serviceChangesSeen = counts.serviceChanges();
    }

    /** @param page {@code healthz} or {@code livez} */
    public void onHealthPage(String page, int code) {
        (page.equals("healthz") ? healthz : livez)
                .labelValues(String.valueOf(code))
                .inc();
    }

    /** Everything in Prometheus' text format. One at a time: with many Services it takes megabytes. */
    public synchronized byte[] scrape() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(16 * 1024);
        try {
            PrometheusTextFormatWriter.create().write(out, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
