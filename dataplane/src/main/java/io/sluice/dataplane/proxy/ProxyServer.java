package io.sluice.dataplane.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.netty.channel.EventLoopGroup;
import io.sluice.api.client.KubeClient;
import io.sluice.api.client.ListOptions;
import io.sluice.api.client.WatchListener;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.EndpointSliceDecoder;
import io.sluice.api.model.Node;
import io.sluice.api.model.NodeDecoder;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceDecoder;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.object.Json;
import io.sluice.dataplane.conductor.Conductor;
import io.sluice.dataplane.conductor.SyncListener;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.health.HealthPages;
import io.sluice.dataplane.health.ProxyHealth;
import io.sluice.dataplane.health.ServiceHealthServers;
import io.sluice.dataplane.http.HttpReply;
import io.sluice.dataplane.http.HttpServer;
import io.sluice.dataplane.metrics.ProxyMetrics;
import io.sluice.dataplane.metrics.RelayMetrics;
import io.sluice.dataplane.relay.RelayConfig;
import io.sluice.dataplane.relay.UserspaceApplier;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A running proxy. Start, then close from any thread. */
public final class ProxyServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyServer.class);
    private static final GroupVersionResource SERVICES =
            new GroupVersionResource("", "v1", "services");
    private static final GroupVersionResource NODES = new GroupVersionResource("", "v1", "nodes");
    private static final GroupVersionResource SLICES =
            new GroupVersionResource("discovery.k8s.io", "v1", "endpointslices");
    private static final Duration REBIND = Duration.ofSeconds(5);

    private final ProxyConfig config;
    private final String version;
    private final ProxyMetrics metrics;
    private final ProxyHealth health;
    private final UserspaceApplier applier;
    private final Conductor conductor;
    private final EventLoopGroup httpLoop = HttpServer.newLoop();
    private final ServiceHealthServers serviceHealth;
    private final List<AutoCloseable> running = new ArrayList<>();
    private volatile Optional<Node> node = Optional.empty();
    private volatile List<String> problems = List.of();
    private volatile ServiceTracker.Counts counts = new ServiceTracker.Counts(0, 0, 0, 0, 0, 0);
    private volatile boolean closed;

    private ProxyServer(ProxyConfig config, List<Cidr> serviceRanges, Clock clock, String version) {
        this.config = config;
        this.version = version;
        this.metrics = new ProxyMetrics(clock, version);
        this.health = new ProxyHealth(clock, config.syncPeriod().multipliedBy(2));
        List<IpAddress> interfaces = NodeAddresses.read();
        NodeView view = nodeView(interfaces);
        RelayConfig relay = new RelayConfig(
                Runtime.getRuntime().availableProcessors(),
                serviceRanges,
                config.podBlocks(),
                config.nodePortAddresses());
        this.applier = new UserspaceApplier(relay, view, System::nanoTime);
        this.serviceHealth =
                new ServiceHealthServers(httpLoop, () -> health.report().healthy());
        this.conductor = new Conductor(
                view,
                interfaces,
                applier,
                new Syncs(),
                config.minSyncPeriod(),
                config.syncPeriod());
        RelayMetrics.register(metrics.registry(), applier);
    }

    /**
     * Starts to watch and to carry traffic.
     *
     * @param client the caller's to close, after this
     * @param serviceRanges known Service ranges; may be empty
     * @throws IOException if a server cannot listen and the configuration asks to fail then
     */
    public static ProxyServer start(
            ProxyConfig config,
            KubeClient client,
            List<Cidr> serviceRanges,
            Clock clock,
            String version)
            throws IOException {
        ProxyServer server = new ProxyServer(config, serviceRanges, clock, version);
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
        listen(
                "healthz",
                config.healthzBindAddress(),
                new HealthPages(health, metrics::onHealthPage));
        listen("metrics", config.metricsBindAddress(), new MetricsPages());
        conductor.start();
        try {
            running.add(AddressMonitor.start(this::onAddresses));
        } catch (KernelException e) {
            LOG.warn("address changes will not be noticed: {}", e.getMessage());
        }
        running.add(client.watch(
                NODES,
                new ListOptions("", "", "metadata.name=" + config.nodeName()),
                new NodeDecoder(),
                new NodeListener()));
        running.add(client.watch(
                SERVICES,
                new ListOptions(
                        "", "!service.kubernetes.io/service-proxy-name", "spec.clusterIP!=None"),
                new ServiceDecoder(),
                new ServiceListener()));
        running.add(client.watch(
                SLICES,
                new ListOptions("", "!service.kubernetes.io/headless", ""),
                new EndpointSliceDecoder(),
                new SliceListener()));
    }

    private void listen(String name, String address, HttpServer.Handler handler)
            throws IOException {
        if (address.isEmpty()) {
            return;
        }
        try {
            running.add(new HttpServer(httpLoop, BindAddress.parse(address), handler));
        } catch (IOException e) {
            if (config.bindAddressHardFail()) {
                throw new IOException(name + " server: " + e.getMessage(), e);
            }
            LOG.warn(
                    "{} server: {}; trying again every {} s",
                    name,
                    e.getMessage(),
                    REBIND.toSeconds());
            httpLoop.schedule(
                    () -> listenAgain(name, address, handler),
                    REBIND.toSeconds(),
                    TimeUnit.SECONDS);
        }
    }

    private void listenAgain(String name, String address, HttpServer.Handler handler) {
        // Binding waits for the loop, so it must not happen on it.
        Thread.ofVirtual().start(() -> {
            synchronized (running) {
                if (closed) {
                    return;
                }
            }
            try {
                HttpServer server = new HttpServer(httpLoop, BindAddress.parse(address), handler);
                synchronized (running) {
                    running.add(server);
                }
                LOG.info("{} server: listening on {} now", name, address);
            } catch (IOException e) {
                httpLoop.schedule(
                        () -> listenAgain(name, address, handler),
                        REBIND.toSeconds(),
                        TimeUnit.SECONDS);
            }
        });
    }

    private NodeView nodeView(List<IpAddress> interfaces) {
        Optional<Node> known = node;
        List<IpAddress> own = interfaces.stream()
                .filter(address -> !address.isLoopback() && !address.isLinkLocal())
                .toList();
        List<IpAddress> addresses = new ArrayList<>();
        IpAddress.parse(config.bindAddress())
                .filter(address -> !address.isUnspecified())
                .ifPresent(addresses::add);
        addresses.addAll(known.filter(found -> !found.addresses().isEmpty())
                .map(Node::addresses)
                .orElse(own));
        return new NodeView(
                config.nodeName(), known.map(Node::zone).orElse(""), List.copyOf(addresses));
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
                .put("openConnections", applier.openConnections())
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
        for (AutoCloseable part : all.reversed()) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("closing {} failed: {}", part.getClass().getSimpleName(), e.toString());
            }
        }
        conductor.close();
    }

    @Override
    public void close() {
        stopWatching();
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
        public void onSynced(
                ProxyDelta delta, List<String> found, long nanos, ServiceTracker.Counts now) {
            List<String> all = new ArrayList<>(found);
            all.addAll(serviceHealth.apply(delta));
            problems = List.copyOf(all);
            counts = now;
            // One Service whose port is taken must not make load balancers turn from the whole
            // node.
            health.onUpdated();
            metrics.onSynced(delta, found.isEmpty(), all.size(), nanos, now);
        }
    }

    /** A watch's troubles are logged. */
    private static void logProblem(String problem) {
        LOG.warn("{}", problem);
    }

    private final class NodeListener implements WatchListener<Node> {
        @Override
        public void onUpsert(Node changed) {
            tell(Optional.of(changed));
        }

        @Override
        public void onDelete(NamespacedName name) {
            LOG.warn("Node {} was deleted; going on with what was known of it", name);
            health.onNode(Optional.empty());
        }

        private void tell(Optional<Node> changed) {
            node = changed;
            health.onNode(changed);
            onAddresses();
        }

        @Override
        public void onSynced() {}

        @Override
        public void onProblem(String problem) {
            logProblem(problem);
        }
    }

    private final class ServiceListener implements WatchListener<Service> {
        @Override
        public void onUpsert(Service service) {
            conductor.onService(service);
        }

        @Override
        public void onDelete(NamespacedName name) {
            conductor.onServiceDeleted(name);
        }

        @Override
        public void onSynced() {
            conductor.onServicesSynced();
        }

        @Override
        public void onProblem(String problem) {
            logProblem(problem);
        }
    }

    private final class SliceListener implements WatchListener<EndpointSlice> {
        @Override
        public void onUpsert(EndpointSlice slice) {
            if (slice.serviceName().isEmpty()) {
                LOG.warn(
                        "EndpointSlice {} has no label kubernetes.io/service-name; passed over",
                        slice.name());
            }
            conductor.onSlice(slice);
        }

        @Override
        public void onDelete(NamespacedName name) {
            conductor.onSliceDeleted(name);
        }

        @Override
        public void onSynced() {
            conductor.onSlicesSynced();
        }

        @Override
        public void onProblem(String problem) {
            logProblem(problem);
        }
    }

    /** The metrics server's pages. */
    private final class MetricsPages implements HttpServer.Handler {
        private final DebugPages debug =
                new DebugPages(conductor, config.nodePortAddresses(), ProxyServer.this::status);

        @Override
        public HttpReply handle(String method, String path, Map<String, List<String>> query) {
            return switch (path) {
                case "/metrics" ->
                    new HttpReply(
                            200,
                            "text/plain; version=0.0.4; charset=utf-8",
                            Map.of(),
                            metrics.scrape());
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
}
