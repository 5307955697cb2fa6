package io.sluice.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.api.selector.FieldSelector;
import io.sluice.api.selector.LabelSelector;
import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.auth.Authenticator;
import io.sluice.apiserver.auth.Authorizer;
import io.sluice.apiserver.auth.CertificateAuthenticator;
import io.sluice.apiserver.auth.Identity;
import io.sluice.apiserver.auth.ServiceAccountTokens;
import io.sluice.apiserver.auth.TokenSigner;
import io.sluice.apiserver.bootstrap.BootstrapObjects;
import io.sluice.apiserver.chain.InFlight;
import io.sluice.apiserver.chain.RequestChain;
import io.sluice.apiserver.discovery.HealthChecks;
import io.sluice.apiserver.discovery.OtherPaths;
import io.sluice.apiserver.http.HttpCounters;
import io.sluice.apiserver.http.HttpServer;
import io.sluice.apiserver.kinds.BuiltinKinds;
import io.sluice.apiserver.metrics.ServerMetrics;
import io.sluice.apiserver.openapi.OpenApi;
import io.sluice.apiserver.pki.Kubeconfig;
import io.sluice.apiserver.pki.PemFiles;
import io.sluice.apiserver.pki.Pki;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;
import io.sluice.apiserver.rest.Deleter;
import io.sluice.apiserver.rest.Reader;
import io.sluice.apiserver.rest.ResourceRequests;
import io.sluice.apiserver.rest.TokenRequests;
import io.sluice.apiserver.rest.Writer;
import io.sluice.apiserver.watchcache.Caches;
import io.sluice.apiserver.watchcache.Item;
import io.sluice.apiserver.watchcache.Selection;
import io.sluice.store.Store;
import io.sluice.store.StoreStatus;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The Kubernetes API over HTTPS, on one store. Wires the parts; has no behaviour of its own. */
public final class ApiServer implements AutoCloseable {
    /** The release whose behaviour is served. */
    public static final String KUBERNETES_VERSION = "v1.36.2";

    private static final int MAX_READING = 400;
    private static final int MAX_WRITING = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);
    private static final String ADMIN = "kubernetes-admin";
    private static final Selection ALL =
            new Selection("", LabelSelector.EVERYTHING, FieldSelector.EVERYTHING);

    private final ApiServerConfig config;
    private final Store store;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final ServerMetrics metrics = new ServerMetrics();
    private final InFlight inFlight = new InFlight(MAX_READING, MAX_WRITING, PATIENCE);
    private final ScheduledExecutorService upkeepThread =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("apiserver-upkeep").daemon().factory());
    private final Registry registry;
    private final Caches caches;
    private final Writer writer;
    private final Deleter deleter;
    private volatile Optional<HttpServer> http = Optional.empty();
    private volatile boolean bootstrapped;
    private volatile boolean closing;

    /** What is slow at start and needs nothing of the store. */
    private record Keys(Pki pki, TokenSigner tokens, ServingTls tls) {}

    private ApiServer(
            ApiServerConfig config, Store store, Clock clock, Registry registry, Caches caches) {
        this.config = config;
        this.store = store;
        this.clock = clock;
        this.registry = registry;
        this.caches = caches;
        this.writer = new Writer(store, registry, clock, random);
        this.deleter = new Deleter(store, clock);
    }

    /**
     * Returns once the server answers and the objects every cluster has are there.
     *
     * @param store stays the caller's to close, after the server
     * @throws IOException if a file cannot be written or an address cannot be bound; everything begun is ended then
     */
    public static ApiServer start(ApiServerConfig config, Store store, Clock clock)
            throws IOException {
        FutureTask<Keys> keys = new FutureTask<>(() -> keys(config, clock));
        Thread.ofPlatform().name("apiserver-keys").daemon().start(keys);
        ServiceAllocator allocator = new ServiceAllocator(
                config.serviceCidrs(),
                config.firstNodePort(),
                config.lastNodePort(),
                new SecureRandom());
        Registry registry = new Registry(BuiltinKinds.all(allocator));
        Caches caches = Caches.start(
                store,
                registry,
                clock,
                Thread.ofVirtual().name("watch-cache-", 0).factory());
        ApiServer out = new ApiServer(config, store, clock, registry, caches);
        try {
            allocator.load(out.storedServices());
            out.listen(result(keys));
            return out;
        } catch (IOException | RuntimeException e) {
            out.close();
            throw e;
        }
    }

    private static Keys keys(ApiServerConfig config, Clock clock) throws IOException {
        Pki pki = Pki.open(config.dataDir().resolve("pki"), clock, new SecureRandom());
        return new Keys(
                pki,
                new TokenSigner(pki.tokenKeys()),
                new ServingTls(pki, ServingNames.of(config)));
    }

    private static <T> T result(FutureTask<T> task) throws IOException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IOException("making keys failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while making keys", e);
        }
    }

    private void listen(Keys keys) throws IOException {
        HttpServer server = HttpServer.start(
                config.bindAddresses().stream().map(IpAddress::toInetAddress).toList(),
                config.port(),
                keys.tls(),
                config.limits(),
                chain(keys, new Reader(store, caches)),
                Thread.ofPlatform().name("apiserver-loop-", 0).daemon().factory());
        http = Optional.of(server);
        bootstrap(keys.pki(), server.port());
        Upkeep upkeep = new Upkeep(
                store,
                caches,
                deleter,
                registry.require("", "v1", "events"),
                keys.tls(),
                clock,
                config.historyKept());
        upkeepThread.scheduleWithFixedDelay(upkeep::run, 60, 60, TimeUnit.SECONDS);
    }

    private List<ObjectNode> storedServices() {
        Kind services = registry.require("", "v1", "services");
        List<ObjectNode> out = new ArrayList<>();
        for (Item item : caches.of(services).list(services.storage(), ALL).items()) {
            out.add(item.tree());
        }
        return out;
    }

    private RequestChain chain(Keys keys, Reader reader) {
        ServiceAccountTokens tokens = new ServiceAccountTokens(keys.tokens(), this::accountUid);
        Authenticator authenticator =
                new Authenticator(new CertificateAuthenticator(keys.pki()::issued), tokens, clock);
        ResourceRequests resources = new ResourceRequests(
                registry,
                caches,
                reader,
                writer,
                deleter,
                new TokenRequests(reader, registry, tokens, clock),
                clock,
                random);
        OtherPaths others = new OtherPaths(
                registry,
                config.advertised().withPort(config.port()),
                version(),
                healthChecks(),
                this::metricsText,
                new OpenApi(registry.kinds(), KUBERNETES_VERSION));
        return new RequestChain(
                authenticator,
                new Authorizer(),
                inFlight,
                resources,
                others,
                metrics,
                config.limits());
    }

    private Optional<String> accountUid(NamespacedName account) {
        Kind accounts = registry.require("", "v1", "serviceaccounts");
        return caches.of(accounts)
                .get(accounts.key(account.namespace(), account.name()))
                .map(item -> KubeObject.of(item.tree()).uid());
    }

    private byte[] metricsText() {
        HttpCounters counters = http.map(HttpServer::counters).orElseGet(HttpCounters::new);
        return metrics.text(caches, store, counters, inFlight.reading(), inFlight.writing());
    }

    private ObjectNode version() {
        String[] parts = KUBERNETES_VERSION.substring(1).split("\\.");
        return Json.object()
                .put("major", parts[0])
                .put("minor", parts[1])
                .put("gitVersion", KUBERNETES_VERSION + "+sluice." + config.productVersion())
                .put("gitCommit", "")
                .put("gitTreeState", "clean")
                .put("buildDate", "1970-01-01T00:00:00Z")
                .put("goVersion", "")
                .put("compiler", "java " + Runtime.version().feature())
                .put("platform", "linux/amd64");
    }

    private List<HealthChecks> healthChecks() {
        return List.of(
                health("livez"),
                health("healthz"),
                health("readyz")
                        .with(
                                "poststarthook/bootstrap-objects",
                                () -> bootstrapped ? Optional.empty() : Optional.of("not finished"))
                        .with(
                                "shutdown",
                                () -> closing
                                        ? Optional.of("process is shutting down")
                                        : Optional.empty()));
    }

    private HealthChecks health(String name) {
        return new HealthChecks(name)
                .with("ping", Optional::empty)
                .with("etcd", this::storeFinding)
                .with("informer-sync", this::cacheFinding);
    }

    private Optional<String> storeFinding() {
        StoreStatus status = store.status();
        return status.mode() == StoreStatus.Mode.FAILED
                ? Optional.of("the store failed and takes no writes: "
                        + status.lastError().orElse("no cause known"))
                : Optional.empty();
    }

    private Optional<String> cacheFinding() {
        long newest = store.revision();
        return caches.awaitRevision(newest, Duration.ofSeconds(1))
                ? Optional.empty()
                : Optional.of("the caches are behind the store");
    }

    private void bootstrap(Pki pki, int port) throws IOException {
        new BootstrapObjects(registry, writer)
                .ensure(
                        config.serviceCidrs(),
                        ServingNames.serviceAddresses(config),
                        config.advertised(),
                        port);
        writeKubeconfig(pki, adminKubeconfig(), "admin", ADMIN, List.of(Identity.MASTERS));
        writeKubeconfig(pki, proxyKubeconfig(), "kube-proxy", "system:kube-proxy", List.of());
        writeKubeconfig(
                pki,
                controllersKubeconfig(),
                "kube-controller-manager",
                "system:kube-controller-manager",
                List.of());
        bootstrapped = true;
    }

    private void writeKubeconfig(Pki pki, Path file, String name, String user, List<String> groups)
            throws IOException {
        PemFiles.writeSecret(
                file,
                Kubeconfig.text(
                        address(),
                        pki.authorityCertificate(),
                        user,
                        pki.client(name, user, groups)));
    }

    /** {@code https://…} as clients on this host use it. */
    public String address() {
        IpAddress bound = config.bindAddresses().getFirst();
        IpAddress reached = bound.isUnspecified()
                ? IpAddress.of(bound.family() == IpFamily.IPV4 ? "127.0.0.1" : "::1")
                : bound;
        return "https://" + reached.withPort(port());
    }

    public int port() {
        return http.map(HttpServer::port).orElse(config.port());
    }

    /** May do everything; mode 0600. */
    public Path adminKubeconfig() {
        return config.dataDir().resolve("admin.kubeconfig");
    }

    /** May read what a proxy needs. */
    public Path proxyKubeconfig() {
        return config.dataDir().resolve("kube-proxy.kubeconfig");
    }

    /** May read and write all resources. */
    public Path controllersKubeconfig() {
        return config.dataDir().resolve("kube-controller-manager.kubeconfig");
    }

    /** Tells clients it goes, lets running requests end, ends watches. */
    @Override
    public void close() {
        closing = true;
        upkeepThread.shutdownNow();
        caches.endWatchers("the server stops");
        http.ifPresent(server -> server.close(CLOSE_GRACE));
        caches.close();
    }
}
