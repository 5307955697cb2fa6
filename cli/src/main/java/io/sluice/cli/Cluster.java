package io.sluice.cli;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.apiserver.ApiServer;
import io.sluice.apiserver.ApiServerConfig;
import io.sluice.controllers.Controllers;
import io.sluice.dataplane.cleanup.Cleanup;
import io.sluice.dataplane.config.ConfigException;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.config.ProxyOptions;
import io.sluice.dataplane.proxy.FeatureProbe;
import io.sluice.dataplane.proxy.ProxyServer;
import io.sluice.store.Store;
import io.sluice.store.embedded.EmbeddedOptions;
import io.sluice.store.embedded.EmbeddedStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The parts of a cluster that run in this process. Each reaches the others through the API server alone. */
final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final Duration FIRST_SYNC = Duration.ofSeconds(30);
    private static final Duration DRAIN = Duration.ofSeconds(3);

    private final List<AutoCloseable> parts = new ArrayList<>();
    private ApiServer apiServer;

    private Cluster() {}

    /** Returns when the cluster is usable. @throws Exception with everything taken down again */
    static Cluster start(UpOptions options) throws Exception {
        Cluster cluster = new Cluster();
        try {
            cluster.begin(options);
            return cluster;
        } catch (Exception e) {
            cluster.close();
            throw e;
        }
    }

    private void begin(UpOptions options) throws Exception {
        Set<String> without = options.leftOut();
        List<Cidr> serviceRanges = options.serviceRanges();
        IpAddress bind = options.bindAddress();
        int port = options.checkedPort();
        ProxyConfig proxyConfig = proxyConfig(options);
        Path dir = privateDirectory(options.dir());
        Clock clock = Clock.systemUTC();
        if (!without.contains("node")) {
            LOG.warn(
                    "the node agent is not in this build yet: pods will not run; --without node says so silently");
        }
        Store store = add(EmbeddedStore.open(
                dir.resolve("store"),
                EmbeddedOptions.defaults(),
                Thread.ofPlatform().name("store-committer").daemon().factory(),
                Thread.ofVirtual().name("store-watch-", 0).factory()));
        apiServer = add(ApiServer.start(
                ApiServerConfig.of(
                        dir, bind, port, serviceRanges, proxyConfig.nodeName(), Version.text()),
                store,
                clock));
        if (!without.contains("controllers")) {
            KubeClient client =
                    add(client(apiServer.controllersKubeconfig(), "sluice-controllers"));
            add(Controllers.start(client, clock));
        }
        if (!without.contains("proxy")) {
            KubeClient client = add(client(apiServer.proxyKubeconfig(), "sluice-proxy"));
            ProxyServer proxy = ProxyServer.start(
                    proxyConfig, client, serviceRanges, Cleanup.Scope.OURS, clock, Version.text());
            parts.add(() -> proxy.shutdown(DRAIN));
            if (!proxy.awaitFirstSync(FIRST_SYNC)) {
                throw new IOException("the proxy did not reach the API server within "
                        + FIRST_SYNC.toSeconds() + " s; the log says why");
            }
        }
    }

    private <T extends AutoCloseable> T add(T part) {
        parts.add(part);
        return part;
    }

    /** Each part has its own identity, with no more rights than it needs. */
    private static KubeClient client(Path kubeconfig, String name) throws IOException {
        return KubeClient.of(KubeConfig.load(kubeconfig, Clock.systemUTC())
                .withUserAgent(name + '/' + Version.text()));
    }

    private static ProxyConfig proxyConfig(UpOptions options) throws UsageException, IOException {
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("proxy-mode", options.proxyMode);
        flags.put("healthz-bind-address", options.healthzBindAddress);
        flags.put("metrics-bind-address", options.metricsBindAddress);
        if (options.nodeName != null) {
            flags.put("hostname-override", options.nodeName);
        }
        try {
            return ProxyOptions.resolve(flags, "", ProxyCommand.hostname(), FeatureProbe::read)
                    .config();
        } catch (ConfigException e) {
            throw new UsageException(e.getMessage());
        }
    }

    /** Keys are kept there, so nobody else may look inside. */
    private static Path privateDirectory(Path dir) throws IOException {
        if (!Files.isDirectory(dir)) {
            try {
                Files.createDirectories(
                        dir,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
            } catch (IOException e) {
                throw new IOException(
                        "--data-dir " + dir + " cannot be made: " + e.getMessage(), e);
            }
        }
        if (!Files.isWritable(dir)) {
            throw new IOException("--data-dir " + dir + " is not writable for this user");
        }
        return dir;
    }

    Path kubeconfig() {
        return apiServer.adminKubeconfig();
    }

    String readyLine() {
        return "ready: " + apiServer.address() + " kubeconfig " + kubeconfig();
    }

    @Override
    public void close() {
        for (AutoCloseable part : parts.reversed()) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("closing {}: {}", part.getClass().getSimpleName(), e.toString());
            }
        }
        parts.clear();
    }
}
