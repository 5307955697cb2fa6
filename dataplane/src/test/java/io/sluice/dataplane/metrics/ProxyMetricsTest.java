package io.sluice.dataplane.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceType;
import io.sluice.dataplane.ManualClock;
import io.sluice.dataplane.Objects;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** kube-proxy's metrics by name, type, label and bucket, as text that Prometheus reads. */
class ProxyMetricsTest {
    private final ManualClock clock = new ManualClock();
    private final ProxyMetrics metrics = new ProxyMetrics(clock, "v0");
    private final ServiceTracker tracker =
            new ServiceTracker(new NodeView(Objects.NODE, "", List.of()));

    private void sync() {
        metrics.onSynced(tracker.checkOut().delta(), 0, 3_000_000, tracker.counts());
    }

    private List<String> lines() {
        return new String(metrics.scrape(), StandardCharsets.UTF_8).lines().toList();
    }

    private String value(String series) {
        return lines().stream()
                .filter(line -> line.startsWith(series + ' '))
                .map(line -> line.substring(series.length() + 1))
                .findFirst()
                .orElse("absent");
    }

    @Test
    void shouldHaveKubeProxysNamesAndTypes() {
        sync();
        metrics.onQueued(tracker.counts());
        metrics.onHealthPage("healthz", 200);
        metrics.onHealthPage("livez", 503);

        assertThat(lines())
                .contains(
                        "# TYPE kubeproxy_sync_proxy_rules_duration_seconds histogram",
                        "# TYPE kubeproxy_network_programming_duration_seconds histogram",
                        "# TYPE kubeproxy_sync_proxy_rules_last_timestamp_seconds gauge",
                        "# TYPE kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds gauge",
                        "# TYPE kubeproxy_sync_proxy_rules_endpoint_changes_pending gauge",
                        "# TYPE kubeproxy_sync_proxy_rules_endpoint_changes_total counter",
                        "# TYPE kubeproxy_sync_proxy_rules_service_changes_pending gauge",
                        "# TYPE kubeproxy_sync_proxy_rules_service_changes_total counter",
                        "# TYPE kubeproxy_sync_proxy_rules_no_local_endpoints_total gauge",
                        "# TYPE kubeproxy_proxy_healthz_total counter",
                        "# TYPE kubeproxy_proxy_livez_total counter",
                        "# TYPE process_resident_memory_bytes gauge",
                        "# TYPE process_cpu_seconds_total counter");
        assertThat(value("kubernetes_build_info{git_version=\"v0\"}")).isEqualTo("1.0");
        assertThat(value("kubeproxy_proxy_healthz_total{code=\"200\"}")).isEqualTo("1.0");
        assertThat(value("kubeproxy_proxy_livez_total{code=\"503\"}")).isEqualTo("1.0");
    }

    @Test
    void shouldHaveKubeProxysBuckets() {
        tracker.onSlice(Objects.slice(1, clock.millis(), "10.1.0.1"));
        tracker.onService(Objects.service(1));
        sync();

        assertThat(buckets("kubeproxy_sync_proxy_rules_duration_seconds"))
                .containsExactlyElementsOf(
                        IntStream.range(0, 15).mapToObj(i -> 0.001 * (1 << i)).toList());
        Stream<Double> expected = Stream.of(
                        Stream.of(0.25, 0.5),
                        IntStream.rangeClosed(1, 59).mapToObj(i -> (double) i),
                        IntStream.range(0, 12).mapToObj(i -> 60.0 + 5 * i),
                        IntStream.range(0, 7).mapToObj(i -> 120.0 + 30 * i))
                .flatMap(part -> part);
        assertThat(buckets("kubeproxy_network_programming_duration_seconds"))
                .containsExactlyElementsOf(expected.toList());
    }

    private List<Double> buckets(String name) {
        String start = name + "_bucket{ip_family=\"IPv4\",le=\"";
        return lines().stream()
                .filter(line -> line.startsWith(start) && !line.contains("+Inf"))
                .map(line -> line.substring(start.length(), line.lastIndexOf('"')))
                .map(Double::valueOf)
                .toList();
    }

    @Test
    void shouldObserveHowLongAChangeTook() {
        long before = clock.millis() - 1;
        clock.advance(Duration.ofSeconds(2));
        tracker.onService(Objects.service(1));
        tracker.onSlice(Objects.slice(1, clock.millis(), "10.1.0.1"));
        clock.advance(Duration.ofMillis(1_500));
        sync();
        tracker.onSlice(Objects.slice(1, before, "10.1.0.2")); // older than this process
        sync();

        String name = "kubeproxy_network_programming_duration_seconds";
        assertThat(value(name + "_count{ip_family=\"IPv4\"}")).isEqualTo("1");
        assertThat(value(name + "_sum{ip_family=\"IPv4\"}")).isEqualTo("1.5");
    }

    @Test
    void shouldCountServicesWithoutLocalEndpoints() {
        String name = "kubeproxy_sync_proxy_rules_no_local_endpoints_total";
        String external = name + "{ip_family=\"IPv4\",traffic_policy=\"external\"}";
        assertThat(value(external)).isEqualTo("0.0");
        Service local = Objects.service(1, ServiceType.NODE_PORT, 30_001, true, 0);
        tracker.onService(local);
        tracker.onSlice(
                Objects.slice(1, 0, List.of(Objects.endpoint("10.1.0.1", true, "other")), 8080));
        sync();
        assertThat(value(external)).isEqualTo("1.0");

        tracker.onSlice(Objects.slice(1, 0, "10.1.0.2"));
        sync();
        assertThat(value(external)).isEqualTo("0.0");
        assertThat(value(name + "{ip_family=\"IPv4\",traffic_policy=\"internal\"}"))
                .isEqualTo("0.0");
    }

    @Test
    void shouldCountChangesAndWhatIsNotInPlace() {
        tracker.onService(Objects.service(1));
        tracker.onSlice(Objects.slice(1, 0, "10.1.0.1"));
        tracker.onSlice(Objects.slice(1, 0, "10.1.0.2"));
        metrics.onQueued(tracker.counts());
        String changes = "kubeproxy_sync_proxy_rules_";
        assertThat(value(changes + "service_changes_pending")).isEqualTo("1.0");
        assertThat(value(changes + "service_changes_total")).isEqualTo("1.0");
        assertThat(value(changes + "endpoint_changes_total")).isEqualTo("2.0");

        metrics.onSynced(tracker.checkOut().delta(), 3, 1, tracker.counts());
        metrics.onFailed();
        assertThat(value(changes + "service_changes_pending")).isEqualTo("0.0");
        assertThat(value("sluice_objects_not_in_place")).isEqualTo("3.0");
        assertThat(value("sluice_sync_failures_total")).isEqualTo("1.0");
    }
}
