package io.sluice.dataplane.proxy;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.apply.Applier;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.conntrack.FlowEnder;
import io.sluice.dataplane.iptables.IptablesApplier;
import io.sluice.dataplane.iptables.Variant;
import io.sluice.dataplane.metrics.RelayMetrics;
import io.sluice.dataplane.metrics.RuleMetrics;
import io.sluice.dataplane.nft.NftApplier;
import io.sluice.dataplane.relay.LocalhostNodePorts;
import io.sluice.dataplane.relay.RelayConfig;
import io.sluice.dataplane.relay.UserspaceApplier;
import io.sluice.endpoints.NodeView;
import io.sluice.kernel.conntrack.NetlinkConntrack;
import io.sluice.kernel.nft.NetlinkNft;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Makes the applier of each mode: the one place that knows them all. */
final class Appliers {
    /** How long after a sync another one runs anyway: kube-proxy 1.36's largest gap. */
    private static final Duration HOURLY = Duration.ofHours(1);

    private Appliers() {}

    /**
     * A mode at work.
     *
     * @param openConnections how many it carries itself; 0 where the kernel does
     * @param longestGap how long after a sync another one is due, whether anything changed or not
     */
    record Mode(Applier applier, LongSupplier openConnections, Duration longestGap) {}

    /**
     * @param node as known so far; {@link Applier#onNode} follows
     * @param serviceRanges known Service ranges; may be empty
     * @param registry for the mode's own metrics
     * @param resync asks the conductor for a sync, with a reason for the log; any thread
     * @throws IOException where this node cannot have the mode: what was tried and found
     */
    static Mode create(
            ProxyConfig config,
            NodeView node,
            List<Cidr> serviceRanges,
            PrometheusRegistry registry,
            Consumer<String> resync)
            throws IOException {
        return switch (config.mode()) {
            case USERSPACE -> userspace(config, node, serviceRanges, registry);
            case NFTABLES -> nftables(config, node, serviceRanges, registry, resync);
            case IPTABLES -> iptables(config, node, registry, resync);
            case IPVS ->
                throw new IOException("mode " + config.mode().word()
                        + " is not in this build yet; use --proxy-mode nftables or userspace");
        };
    }

    private static Mode nftables(
            ProxyConfig config,
            NodeView node,
            List<Cidr> serviceRanges,
            PrometheusRegistry registry,
            Consumer<String> resync)
            throws IOException {
        NodeFacts facts = new NodeFacts(node, List.of(), serviceRanges);
        RuleMetrics heard = new RuleMetrics(registry, config.mode(), NodeAddresses.families());
        NftApplier applier = new NftApplier(
                NodeAddresses.families(), config.rules(), facts, NetlinkNft.open(), heard, resync);
        FlowEnder rules = new FlowEnder(applier, NetlinkConntrack.open(), heard);
        return withLocalhost(rules, config, node, registry, HOURLY);
    }

    /** Rules that carry all but node ports on loopback addresses, and a relay for those. */
    private static Mode withLocalhost(
            Applier rules,
            ProxyConfig config,
            NodeView node,
            PrometheusRegistry registry,
            Duration longestGap) {
        Set<IpFamily> families = NodeAddresses.families().stream()
                .filter(family ->
                        LocalhostNodePorts.answersOn(config.rules().nodePortAddresses(), family))
                .collect(Collectors.toSet());
        if (!config.rules().localhostNodePorts() || families.isEmpty()) {
            return new Mode(rules, () -> 0, longestGap);
        }
        LocalhostNodePorts relay = new LocalhostNodePorts(rules, families, node, System::nanoTime);
        RelayMetrics.register(registry, relay);
        return new Mode(relay, relay::openConnections, longestGap);
    }

    private static Mode iptables(
            ProxyConfig config, NodeView node, PrometheusRegistry registry, Consumer<String> resync)
            throws IOException {
        RuleMetrics heard = new RuleMetrics(registry, config.mode(), NodeAddresses.families());
        IptablesApplier applier = new IptablesApplier(
                NodeAddresses.families(),
                Variant.ofThisNode(),
                config.rules(),
                new NodeFacts(node, List.of(), List.of()),
                config.syncPeriod(),
                heard,
                resync);
        return new Mode(new FlowEnder(applier, NetlinkConntrack.open(), heard), () -> 0, HOURLY);
    }

    private static Mode userspace(
            ProxyConfig config,
            NodeView node,
            List<Cidr> serviceRanges,
            PrometheusRegistry registry) {
        List<Cidr> pods = config.rules().detector() instanceof LocalDetector.Source source
                ? source.blocks()
                : List.of();
        RelayConfig relay = new RelayConfig(
                Runtime.getRuntime().availableProcessors(),
                serviceRanges,
                pods,
                config.rules().nodePortAddresses());
        UserspaceApplier applier = new UserspaceApplier(relay, node, System::nanoTime);
        RelayMetrics.register(registry, applier);
        return new Mode(applier, applier::openConnections, HOURLY);
    }
}
