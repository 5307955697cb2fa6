package io.sluice.dataplane.proxy;

import io.sluice.api.client.KubeClient;
import io.sluice.api.model.Node;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.dataplane.apply.Applier;
import io.sluice.dataplane.conductor.Conductor;
import io.sluice.dataplane.conductor.SyncListener;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServiceTracker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Reads the cluster as a proxy does, once, and says what a proxy would do. Changes nothing. */
public final class DryRun {
    private static final Logger LOG = LoggerFactory.getLogger(DryRun.class);
    /** For what a plan can do without. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private DryRun() {}

    /** What would be. @param rules the program @param differences what the kernel has instead; one line each */
    public record Plan(String rules, List<String> differences) {}

    /**
     * @param timeout for all that has to be read
     * @throws IOException where the mode has no rules, the API server does not answer in time, or the kernel cannot be read
     */
    public static Plan of(ProxyConfig config, KubeClient client, Duration timeout)
            throws IOException, InterruptedException {
        if (!RuleBook.has(config.mode())) {
            throw new IOException(RuleBook.why(config.mode()));
        }
        List<IpAddress> interfaces = NodeAddresses.read();
        NodeView view = NodeAddresses.view(config, Optional.empty(), interfaces);
        CountDownLatch niceToKnow = new CountDownLatch(2);
        try (Conductor conductor = new Conductor(
                view,
                interfaces,
                new Nothing(niceToKnow::countDown),
                new Nobody(),
                Duration.ZERO,
                config.syncPeriod(),
                timeout.plusSeconds(1))) {
            conductor.start();
            ClusterWatches watches = new ClusterWatches(
                    conductor,
                    config.externalIps(),
                    (Optional<Node> node) -> {
                        conductor.onNode(NodeAddresses.view(config, node, interfaces), interfaces);
                        niceToKnow.countDown();
                    },
                    new ProblemLog(LOG::warn, System::nanoTime));
            List<AutoCloseable> running = new ArrayList<>(watches.start(client, config.nodeName()));
            running.add(watches.startServiceCidrs(client));
            try {
                return plan(config, conductor, niceToKnow, timeout);
            } finally {
                closeAll(running);
            }
        }
    }

    private static Plan plan(
            ProxyConfig config, Conductor conductor, CountDownLatch niceToKnow, Duration timeout)
            throws IOException, InterruptedException {
        if (!conductor.awaitFirstSync(timeout)) {
            throw new IOException("Services and EndpointSlices could not be read within "
                    + timeout.toSeconds() + " s; the log says why");
        }
        if (!niceToKnow.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            LOG.info(
                    "Node {} or the ServiceCIDRs are not known; going on without",
                    config.nodeName());
        }
        RuleBook rules = new RuleBook(config.rules(), NodeAddresses.families());
        String text = rules.text(config.mode(), conductor.view());
        return new Plan(
                text,
                config.mode() == ProxyMode.NFTABLES
                        ? rules.differences(config.mode(), conductor.view())
                        : List.of("mode " + config.mode().word() + " is not compared"));
    }

    private static void closeAll(List<AutoCloseable> running) throws IOException {
        for (AutoCloseable part : running) {
            try {
                part.close();
            } catch (Exception e) {
                throw new IOException("closing a watch failed: " + e, e);
            }
        }
    }

    /** Does nothing. @param onRanges called when the Service ranges are known */
    private record Nothing(Runnable onRanges) implements Applier {
        @Override
        public List<String> apply(ProxyImage image, ProxyDelta delta) {
            return List.of();
        }

        @Override
        public List<String> onNode(NodeView node, Collection<IpAddress> interfaceAddresses) {
            return List.of();
        }

        @Override
        public List<String> onServiceRanges(List<Cidr> ranges) {
            onRanges.run();
            return List.of();
        }

        @Override
        public void drain(Duration deadline) {}

        @Override
        public void close() {}
    }

    /** Wants to know nothing. */
    private static final class Nobody implements SyncListener {
        @Override
        public void onQueued(ServiceTracker.Counts pending) {}

        @Override
        public List<String> onSynced(
                ProxyDelta delta, List<String> found, long nanos, ServiceTracker.Counts now) {
            return List.of();
        }

        @Override
        public void onFailed(String problem) {}
    }
}
