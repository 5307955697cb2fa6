package io.sluice.dataplane.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.config.ProxyMode;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;

class RuleMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    private String scrape() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, registry.scrape());
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void countsUnderKubeProxysNamesInModeNftables() throws IOException {
        RuleMetrics metrics =
                new RuleMetrics(registry, ProxyMode.NFTABLES, EnumSet.allOf(IpFamily.class));
        metrics.onSynced(IpFamily.IPV4, true, 1_500_000);
        metrics.onSynced(IpFamily.IPV4, false, 1_500_000);
        metrics.onSynced(IpFamily.IPV4, false, 500_000);
        metrics.onFailed(IpFamily.IPV6, false);
        metrics.onFlowsEnded(IpFamily.IPV4, 1_000, 3);

        assertThat(scrape())
                .contains(
                        "kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 1")
                .contains(
                        "kubeproxy_sync_partial_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 2")
                .contains(
                        "kubeproxy_sync_proxy_rules_nftables_sync_failures_total{ip_family=\"IPv4\"} 0.0")
                .contains(
                        "kubeproxy_sync_proxy_rules_nftables_sync_failures_total{ip_family=\"IPv6\"} 1.0")
                .contains(
                        "kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family=\"IPv4\"} 3.0");
    }

    @Test
    void tellsPartialFromFullFailuresInModeIptables() throws IOException {
        RuleMetrics metrics =
                new RuleMetrics(registry, ProxyMode.IPTABLES, EnumSet.of(IpFamily.IPV4));
        metrics.onFailed(IpFamily.IPV4, false);

        assertThat(scrape())
                .contains(
                        "kubeproxy_sync_proxy_rules_iptables_restore_failures_total{ip_family=\"IPv4\"} 0.0")
                .contains(
                        "kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total{ip_family=\"IPv4\"} 1.0");
    }
}
