package io.sluice.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.Cidr;
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
import io.sluice.apiserver.pki.SubjectNames;
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
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
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
    private final Pki pki;
    private final Registry registry;
    private final Caches caches;
    private final Writer writer;
    private final HttpServer http;
    private volatile boolean bootstrapped;
    private volatile boolean closing;

    private ApiServer(ApiServerConfig config, Store store, Clock clock) throws IOException {
        this.config = config;
        this.store = store;
        this.clock = clock;
        this.pki = Pki.open(config.dataDir().resolve("pki"), clock, random);
        ServiceAllocator allocator = new ServiceAllocator(
                config.serviceCidrs(), config.firstNodePort(), config.lastNodePort(), random);
        this.registry = new Registry(BuiltinKinds.all(allocator));
        this.caches = Caches.start(
                store,
                registry,
                clock,
                Thread.ofVirtual().name("watch-cache-", 0).factory());
        allocator.load(storedServices());
        this.writer = new Writer(store, registry, clock, random);
        Deleter deleter = new Deleter(store, clock);
        ServingTls tls = new ServingTls(pki, servingNames());
        this.http = HttpServer.start(
                inetAddresses(),
                config.port(),
                tls,
                config.limits(),
                chain(new Reader(store, caches), deleter),
                Thread.ofPlatform().name("apiserver-loop-", 0).daemon().factory());
        Upkeep upkeep = new Upkeep(
                store,
                caches,
                deleter,
                registry.require("", "v1", "events"),
                tls,
                clock,
                config.historyKept());
        upkeepThread.scheduleWithFixedDelay(upkeep::run, 60, 60, TimeUnit.SECONDS);
    }

    /**
     * Returns once the server answers and the objects every cluster has are there.
     *
     * @param store stays the caller's to close, after the server
     * @throws IOException if a file cannot be written or an address cannot be bound; everything begun is ended then
     */
    public static ApiServer start(ApiServerConfig config, Store store, Clock clock)
            throws IOException {
        ApiServer out = new ApiServer(config, store, clock);
        try {
            out.bootstrap();
            return out;
        } catch (IOException | RuntimeException e) {
            out.close();
            throw e;
        }
    }

    private List<ObjectNode> storedServices() {
        Kind services = registry.require("", "v1", "services");
        List<ObjectNode> out = new ArrayList<>();
        for (Item item : caches.of(services).list(services.storage(), ALL).items()) {
            out.add(item.tree());
        }
        return out;
    }

    private List<InetAddress> inetAddresses() {
        return config.bindAddresses().stream().map(IpAddress::toInetAddress).toList();
    }

    private RequestChain chain(Reader reader, Deleter deleter) throws IOException {
        ServiceAccountTokens tokens =
                new ServiceAccountTokens(new TokenSigner(pki.tokenKeys()), this::accountUid);
        Authenticator authenticator =
                new Authenticator(new CertificateAuthenticator(pki::issued), tokens, clock);
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
        HttpCounters counters = http.counters();
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

    private SubjectNames servingNames() {
        List<IpAddress> addresses = new ArrayList<>(
                List.of(IpAddress.of("127.0.0.1"), IpAddress.of("::1"), config.advertised()));
        for (IpAddress bound : config.bindAddresses()) {
            if (bound.isUnspecified()) {
                addresses.addAll(HostAddresses.all());
            } else {
                addresses.add(bound);
            }
        }
        addresses.addAll(serviceAddresses());
        List<String> names = new ArrayList<>(List.of(
                "localhost",
                "kubernetes",
                "kubernetes.default",
                "kubernetes.default.svc",
                "kubernetes.default.svc.cluster.local"));
        if (!config.hostName().isEmpty()) {
            names.add(config.hostName());
        }
        return SubjectNames.of(names, addresses);
    }

    /** The first address of each range is Service {@code kubernetes}'. */
    private List<IpAddress> serviceAddresses() {
        return config.serviceCidrs().stream().map(ApiServer::firstAddress).toList();
    }

    private static IpAddress firstAddress(Cidr range) {
        byte[] start = range.address().bytes();
        byte[] next = new BigInteger(1, start).add(BigInteger.ONE).toByteArray();
        byte[] out = new byte[start.length];
        int count = Math.min(next.length, out.length);
        System.arraycopy(next, next.length - count, out, out.length - count, count);
        return IpAddress.of(out);
    }

    private void bootstrap() throws IOException {
        new BootstrapObjects(registry, writer)
                .ensure(serviceAddresses(), config.advertised(), http.port());
        writeKubeconfig(adminKubeconfig(), "admin", ADMIN, List.of(Identity.MASTERS));
        writeKubeconfig(proxyKubeconfig(), "kube-proxy", "system:kube-proxy", List.of());
        writeKubeconfig(
                controllersKubeconfig(),
                "kube-controller-manager",
                "system:kube-controller-manager",
                List.of());
        bootstrapped = true;
    }

    private void writeKubeconfig(Path file, String name, String user, List<String> groups)
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
        return "https://" + reached.withPort(http.port());
    }

    public int port() {
        return http.port();
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
        http.close(CLOSE_GRACE);
        caches.close();
    }
}
