package io.sluice.dataplane.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.apply.RuleSyncs;
import io.sluice.dataplane.config.ProxyMode;

import java.util.Set;

/** What kube-proxy 1.36 counts of modes nftables and iptables. Thread-safe. */
public final class RuleMetrics implements RuleSyncs {
    private static final double NANOS = 1e9;

    private final Histogram full;
    private final Histogram partial;
    private final Histogram reconciled;
    private final Counter ended;
    private final Counter failures;
    private final Counter partialFailures;

    /** @param mode one with rules */
    public RuleMetrics(PrometheusRegistry registry, ProxyMode mode, Set<IpFamily> families) {
        full = histogram(
                registry,
                "kubeproxy_sync_full_proxy_rules_duration_seconds",
                "Seconds a sync of everything took");
        partial = histogram(
                registry,
                "kubeproxy_sync_partial_proxy_rules_duration_seconds",
                "Seconds a sync of what changed took");
        reconciled = histogram(
                registry,
                "kubeproxy_conntrack_reconciler_sync_duration_seconds",
                "Seconds it took to look for UDP flows to endpoints that are gone");
        ended = counter(
                registry,
                "kubeproxy_conntrack_reconciler_deleted_entries_total",
                "UDP flows ended because their endpoint is gone");
        boolean nftables = mode == ProxyMode.NFTABLES;
        failures = counter(
                registry,
                nftables
                        ? "kubeproxy_sync_proxy_rules_nftables_sync_failures_total"
                        : "kubeproxy_sync_proxy_rules_iptables_restore_failures_total",
                "Syncs the kernel refused");
        // nftables takes or refuses a whole transaction: kube-proxy has no second count there.
        partialFailures = nftables
                ? failures
                : counter(
                        registry,
                        "kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total",
                        "Syncs of what changed that the kernel refused");
        for (IpFamily family : families) {
            ended.labelValues(family.text()).inc(0);
            failures.labelValues(family.text()).inc(0);
            partialFailures.labelValues(family.text()).inc(0);
        }
    }

    private static Histogram histogram(PrometheusRegistry registry, String name, String help) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames("ip_family")
                .classicOnly()
                .classicUpperBounds(ProxyMetrics.doubling())
                .register(registry);
    }

    private static Counter counter(PrometheusRegistry registry, String name, String help) {
        return Counter.builder().name(name).help(help).labelNames("ip_family").register(registry);
    }

    @Override
    public void onSynced(IpFamily family, boolean all, long nanos) {
        (all ? full : partial).labelValues(family.text()).observe(nanos / NANOS);
    }

    @Override
    public void onFailed(IpFamily family, boolean all) {
        (all ? failures : partialFailures).labelValues(family.text()).inc();
    }

    @Override
    public void onFlowsEnded(IpFamily family, long nanos, int count) {
        reconciled.labelValues(family.text()).observe(nanos / NANOS);
        ended.labelValues(family.text()).inc(count);
    }
}
