package io.sluice.dataplane.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.netty.channel.EventLoopGroup;
import io.sluice.api.client.KubeClient;
import io.sluice.api.model.Node;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.object.Json;
import io.sluice.dataplane.apply.Applier;
import io.sluice.dataplane.cleanup.Cleanup;
import io.sluice.dataplane.conductor.Conductor;
import io.sluice.dataplane.conductor.SyncListener;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.dataplane.events.ProxyEvents;
import io.sluice.dataplane.health.HealthPages;
import io.sluice.dataplane.health.ProxyHealth;
import io.sluice.dataplane.health.ServiceHealthServers;
import io.sluice.dataplane.http.HttpServer;
import io.sluice.dataplane.metrics.ProxyMetrics;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServiceTracker;
import io.sluice.kernel.AddressMonitor;
import io.sluice.kernel.KernelException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** A running proxy. Start, then close from any thread. */
public final class ProxyServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyServer.class);
    private static final Duration REBIND = Duration.ofSeconds(5);
    /** As long as kube-proxy waits for the addresses of its node. */
    private static final Duration NODE_PATIENCE = Duration.ofSeconds(30);

    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final ProxyConfig config;
    private final Cleanup.Scope takenOver;
    private final String version;
    private final ProxyMetrics metrics;
    private final ProxyHealth health;
    private final Applier applier;
    private final LongSupplier openConnections;
    private final Conductor conductor;
    private final EventLoopGroup httpLoop = HttpServer.newLoop();
    private final ServiceHealthServers serviceHealth;
    private final ProxyEvents events;
    private final ProblemLog problemLog = new ProblemLog(LOG::warn, System::nanoTime);
    private final List<AutoCloseable> running = new ArrayList<>();
    private volatile Optional<Node> node = Optional.empty();
    private volatile List<String> problems = List.of();
    private volatile ServiceTracker.Counts counts = new ServiceTracker.Counts(0, 0, 0, 0, 0, 0);
    private volatile boolean closed;
    private final AtomicBoolean ended = new AtomicBoolean();

    private ProxyServer(
            ProxyConfig config,
            KubeClient client,
            List<Cidr> serviceRanges,
            Cleanup.Scope takenOver,
            Clock clock,
            String version)
            throws IOException {
        this.config = config;
        this.takenOver = takenOver;
        this.version = version;
        this.metrics = new ProxyMetrics(clock, version);
        this.health = new ProxyHealth(clock, config.syncPeriod().multipliedBy(2));
        List<IpAddress> interfaces = NodeAddresses.read();
        NodeView view = nodeView(interfaces);
        Appliers.Mode mode =
                Appliers.create(config, view, serviceRanges, metrics.registry(), this::requestSync);
        this.applier = mode.applier();
        this.openConnections = mode.openConnections();
        this.events = new ProxyEvents(client, clock, config.nodeName());
        this.serviceHealth = new ServiceHealthServers(
                httpLoop,
                () -> health.report().healthy(),
                (service, problem) -> events.onService(
                        service, "FailedToStartServiceHealthcheck", "Listen", problem));
        this.conductor = new Conductor(
                view,
                interfaces,
                applier,
                new Syncs(),
                config.minSyncPeriod(),
                config.syncPeriod(),
                mode.longestGap());
    }

    private void requestSync(String why) {
        conductor.requestSync(why);
    }

    /**
     * Starts to watch and to carry traffic.
     *
     * @param client the caller's to close, after this
     * @param serviceRanges known Service ranges; may be empty
     * @param takenOver whose leftovers go once this carries traffic
     * @throws IOException if a server cannot listen and the configuration asks to fail then
     */
    public static ProxyServer start(
            ProxyConfig config,
            KubeClient client,
            List<Cidr> serviceRanges,
            Cleanup.Scope takenOver,
            Clock clock,
            String version)
            throws IOException {
        ProxyServer server =
                new ProxyServer(config, client, serviceRanges, takenOver, clock, version);
        try {
            server.begin(client);
            return server;
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    private void begin(KubeClient client) throws IOException {
        LOG.info(
                "proxy on node {} in mode {}{}",
                config.nodeName(),
                config.mode().word(),
                config.modeReason().isEmpty() ? "" : " (" + config.modeReason() + ')');
        events.onNode("Normal", "Starting", "");
        listen(
                "healthz",
                config.healthzBindAddress(),
                new HealthPages(health, metrics::onHealthPage),
                "FailedToStartProxierHealthcheck");
        DebugPages debug = new DebugPages(
                conductor,
                config.mode(),
                new RuleBook(config.rules(), NodeAddresses.families()),
                this::status);
        listen(
                "metrics",
                config.metricsBindAddress(),
                new MetricsPages(config, metrics, debug),
                "FailedToStartMetricServer");
        conductor.start();
        Thread.ofVirtual().name("proxy-cleanup").start(this::cleanUpOthers);
        try {
            keep(AddressMonitor.start(this::onAddresses));
        } catch (KernelException e) {
            LOG.warn("address changes will not be noticed: {}", e.getMessage());
        }
        ClusterWatches watches =
                new ClusterWatches(conductor, config.externalIps(), this::onNode, problemLog);
        watches.start(client, config.nodeName()).forEach(this::keep);
        // Telling the conductor may have to wait, so it must not happen on the loop.
        httpLoop.schedule(
                () -> Thread.ofVirtual().start(watches::goOnWithoutNode),
                NODE_PATIENCE.toSeconds(),
                TimeUnit.SECONDS);
        if (config.mode() == ProxyMode.NFTABLES) {
            // Only there addresses without Service have a fate of their own.
            keep(watches.startServiceCidrs(client));
        }
    }

    /** What another mode left goes when this one carries traffic, so that no connection meets a gap. */
    private void cleanUpOthers() {
        try {
            while (!conductor.awaitFirstSync(Duration.ofSeconds(1))) {
                if (closed) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        Cleanup.Report report = Cleanup.others(config.mode(), takenOver);
        report.removed().forEach(text -> LOG.info("removed {}: another mode left it", text));
        report.problems().forEach(problem -> LOG.info("clean-up of other modes: {}", problem));
    }

    /** Ends with the server; at once where that has ended. */
    private void keep(AutoCloseable part) {
        synchronized (running) {
            if (!closed) {
                running.add(part);
                return;
            }
        }
        closeQuietly(part);
    }

    private void listen(String name, String address, HttpServer.Handler handler, String reason)
            throws IOException {
        if (address.isEmpty()) {
            return;
        }
        try {
            keep(new HttpServer(httpLoop, BindAddress.parse(address), handler));
        } catch (IOException e) {
            String problem = name + " server: " + e.getMessage();
            if (config.bindAddressHardFail()) {
                events.onNode("Warning", reason, problem);
                awaitEvents();
                throw new IOException(problem, e);
            }
            LOG.warn("{}; trying again every {} s", problem, REBIND.toSeconds());
            listenLater(name, address, handler);
        }
    }

    /** The process ends next, so what it has to tell is told now. */
    private void awaitEvents() {
        try {
            events.flush(LAST_WORDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void listenLater(String name, String address, HttpServer.Handler handler) {
        // Binding waits for the loop, so it must not happen on it.
        httpLoop.schedule(
                () -> Thread.ofVirtual()
                        .name("proxy-listen")
                        .start(() -> listenAgain(name, address, handler)),
                REBIND.toSeconds(),
                TimeUnit.SECONDS);
    }

    private void listenAgain(String name, String address, HttpServer.Handler handler) {
        if (closed) {
            return;
        }
        try {
            keep(new HttpServer(httpLoop, BindAddress.parse(address), handler));
            LOG.info("{} server: listening on {} now", name, address);
        } catch (IOException e) {
            problemLog.warn(name + " server: " + e.getMessage());
            listenLater(name, address, handler);
        }
    }

    private NodeView nodeView(List<IpAddress> interfaces) {
        return NodeAddresses.view(config, node, interfaces);
    }

    /** @param found empty where the node was deleted; what was known of it holds on */
    private void onNode(Optional<Node> found) {
        health.onNode(found);
        if (found.isPresent()) {
            node = found;
            onAddresses();
        }
    }

    private void onAddresses() {
        List<IpAddress> interfaces = NodeAddresses.read();
        conductor.onNode(nodeView(interfaces), interfaces);
    }

    /** @return whether traffic was in place within the time */
    public boolean awaitFirstSync(Duration timeout) throws InterruptedException {
        return conductor.awaitFirstSync(timeout);
    }

    /** What {@code sluice status} shows. */
    private ObjectNode status() {
        ProxyHealth.Report report = health.report();
        ServiceTracker.Counts now = counts;
        ObjectNode out = Json.object()
                .put("version", version)
                .put("node", config.nodeName())
                .put("mode", config.mode().word())
                .put("healthy", report.healthy())
                .put("nodeEligible", report.nodeEligible())
                .put("lastSync", report.lastUpdated().toString())
                .put("services", now.services())
                .put("endpointSlices", now.slices())
                .put("openConnections", openConnections.getAsLong())
                .put("mailboxFull", conductor.mailboxFull());
        problems.forEach(out.putArray("problems")::add);
        return out;
    }

    /** Ends in order: watches, then new connections, then, at the deadline, open ones. */
    public void shutdown(Duration drain) {
        stopWatching();
        applier.drain(drain);
        close();
    }

    private void stopWatching() {
        List<AutoCloseable> all;
        synchronized (running) {
            closed = true;
            all = List.copyOf(running);
            running.clear();
        }
        all.reversed().forEach(ProxyServer::closeQuietly);
        conductor.close();
    }

    private static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.warn("closing {} failed: {}", part.getClass().getSimpleName(), e.toString());
        }
    }

    @Override
    public void close() {
        stopWatching();
        if (ended.getAndSet(true)) {
            return;
        }
        events.close();
        serviceHealth.close();
        applier.close();
        httpLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** From the conductor to metrics and health. */
    private final class Syncs implements SyncListener {
        @Override
        public void onQueued(ServiceTracker.Counts pending) {
            health.onQueued();
            metrics.onQueued(pending);
        }

        @Override
        public List<String> onSynced(
                ProxyDelta delta, List<String> found, long nanos, ServiceTracker.Counts now) {
            List<String> unheard = serviceHealth.apply(delta);
            List<String> all = new ArrayList<>(found);
            all.addAll(unheard);
            problems = List.copyOf(all);
            counts = now;
            // One Service whose port is taken must not make load balancers turn from the whole
            // node.
            health.onUpdated();
            metrics.onSynced(delta, all.size(), nanos, now);
            return unheard;
        }

        @Override
        public void onFailed(String problem) {
            health.onQueued(); // it waits from now on, if it did not before
            problems = List.of(problem);
            metrics.onFailed();
        }
    }
}
