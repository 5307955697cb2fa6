package io.sluice.cli;

import io.sluice.api.client.KubeClient;
import io.sluice.api.net.Cidr;
import io.sluice.dataplane.cleanup.Cleanup;
import io.sluice.dataplane.config.ConfigChange;
import io.sluice.dataplane.config.ConfigException;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.proxy.PodBlocks;
import io.sluice.dataplane.proxy.ProxyServer;
import io.sluice.rules.LocalDetector;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The proxy of {@code sluice proxy}, and what it follows besides the cluster: its configuration file, and the node's podCIDRs. In
 * kernel modes a change starts the proxy again within the process, as if it had been restarted: the kernel carries traffic on. Runs
 * on the main thread; {@link #end} may come from another.
 */
final class ProxyRun {
    private static final Logger LOG = LoggerFactory.getLogger("proxy");
    private static final Duration DRAIN = Duration.ofSeconds(20);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
    private static final Duration POD_BLOCKS = Duration.ofMinutes(5);

    /** Makes a configuration of a file's text, and the flags. */
    interface Resolver {
        ProxyConfig resolve(String text) throws ConfigException, IOException;
    }

    /** One life of the proxy. */
    private record Running(
            ProxyConfig config,
            KubeClient client,
            Optional<PodBlocks> podBlocks,
            List<Cidr> blocks,
            ProxyServer server)
            implements AutoCloseable {
        @Override
        public void close() {
            server.close();
            podBlocks.ifPresent(PodBlocks::close);
            client.close();
        }
    }

    private final Optional<Path> file;
    private final Resolver resolver;
    private String text;
    private String problem = "";
    private volatile Optional<Running> running = Optional.empty();

    /** @param file with the configuration; none where flags are all @param text of that file, as the proxy starts with it */
    ProxyRun(Optional<Path> file, String text, Resolver resolver) {
        this.file = file;
        this.text = text;
        this.resolver = resolver;
    }

    /** Returns never, but fails if the proxy cannot start, or a change needs a new process. */
    void run(ProxyConfig config) throws Exception {
        start(config);
        Runnable forgetEnd = Shutdown.onEnd(this::end);
        try {
            while (true) {
                Thread.sleep(LOOK_AGAIN);
                followFile();
                followPodBlocks();
            }
        } finally {
            forgetEnd.run();
        }
    }

    private void end() {
        running.ifPresent(now -> now.server().shutdown(DRAIN));
    }

    /** For those who look once: with the addresses of the node's pods, where they tell pods. */
    static ProxyConfig complete(ProxyConfig config, KubeClient client, Duration most)
            throws IOException, InterruptedException {
        if (!config.detectsByPodBlocks()) {
            return config;
        }
        try (PodBlocks podBlocks = new PodBlocks(client, config.nodeName())) {
            return config.withDetector(new LocalDetector.Source(podBlocks.await(most)));
        }
    }

    private void start(ProxyConfig config) throws Exception {
        ProxyCommand.adjust(config);
        KubeClient client = KubeClient.of(ProxyCommand.access(config));
        Optional<PodBlocks> podBlocks = Optional.empty();
        try {
            if (config.detectsByPodBlocks()) {
                podBlocks = Optional.of(new PodBlocks(client, config.nodeName()));
            }
            List<Cidr> blocks =
                    podBlocks.isPresent() ? podBlocks.get().await(POD_BLOCKS) : List.of();
            ProxyConfig complete = blocks.isEmpty()
                    ? config
                    : config.withDetector(new LocalDetector.Source(blocks));
            ProxyServer server = ProxyServer.start(
                    complete,
                    client,
                    List.of(),
                    Cleanup.Scope.KUBE_PROXY,
                    Clock.systemUTC(),
                    Version.text());
            running = Optional.of(new Running(config, client, podBlocks, blocks, server));
        } catch (IOException | InterruptedException e) {
            podBlocks.ifPresent(PodBlocks::close);
            client.close();
            throw e;
        }
    }

    private void startAgain(ProxyConfig config) throws Exception {
        Running before = running.orElseThrow();
        running = Optional.empty();
        before.close();
        start(config);
    }

    private void followPodBlocks() throws Exception {
        Running now = running.orElseThrow();
        List<Cidr> blocks = now.podBlocks().map(PodBlocks::now).orElse(List.of());
        if (blocks.equals(now.blocks())) {
            return;
        }
        String what = "spec.podCIDRs of node " + now.config().nodeName() + " are " + blocks
                + ", and were " + now.blocks();
        // As a change of the one key that would say the same.
        change(new ConfigChange(List.of("clusterCIDR")), now.config(), what);
    }

    private void followFile() throws Exception {
        if (file.isEmpty()) {
            return;
        }
        ProxyConfig found;
        try {
            String read = Files.readString(file.get());
            if (read.equals(text)) {
                return;
            }
            text = read;
            found = resolver.resolve(read);
        } catch (IOException | ConfigException e) {
            tell(file.get() + ": " + e.getMessage() + "; going on with what it was");
            return;
        }
        problem = "";
        ConfigChange change = ConfigChange.between(running.orElseThrow().config(), found);
        change(change, found, file.get() + " changed: " + String.join(", ", change.keys()));
    }

    private void change(ConfigChange change, ProxyConfig config, String what) throws Exception {
        Running now = running.orElseThrow();
        switch (change.effort(now.config().mode())) {
            case NOTHING -> LOG.info("{} changed, and says the same", file.orElseThrow());
            case SETTINGS -> {
                LOG.info("{}; writing that to the kernel", what);
                ProxyCommand.adjust(config);
                running = Optional.of(new Running(
                        config, now.client(), now.podBlocks(), now.blocks(), now.server()));
            }
            case RESTART -> {
                LOG.info("{}; starting again with that, the kernel carries traffic on", what);
                startAgain(config);
            }
            case EXIT -> {
                now.server().shutdown(DRAIN);
                throw new IOException(
                        what
                                + "; mode userspace cannot take that up, so the process ends to be started again");
            }
        }
    }

    /** Once, not each time it is found again. */
    private void tell(String found) {
        if (!found.equals(problem)) {
            problem = found;
            LOG.error("{}", found);
        }
    }
}
