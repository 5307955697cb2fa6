package io.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;
import io.sluice.api.client.PatchType;
import io.sluice.api.net.IpAddress;
import io.sluice.api.object.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

@Command(
        name = "demo",
        description =
                "Starts a cluster of its own, puts two servers behind a node port, and shows traffic follow readiness.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  ./sluice demo --once", "  ./sluice demo"})
final class DemoCommand implements Callable<Integer> {
    private static final int CURLS = 5;
    private static final long PATIENCE_NANOS = 15_000_000_000L;

    @Option(names = "--once", description = "end after success, with exit code 0")
    private boolean once;

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "where the cluster is kept (default: a temporary one)")
    private Path dataDir;

    @Option(names = "--verbose", description = "log more, and show stack traces")
    private boolean verbose;

    @Override
    public Integer call() throws Exception {
        boolean temporary = dataDir == null;
        Path dir = temporary ? Files.createTempDirectory("sluice-demo") : dataDir.toAbsolutePath();
        List<AutoCloseable> running = new ArrayList<>();
        try {
            show(dir, running);
            if (!once) {
                System.out.println("\nThe demo runs on; Ctrl-C ends it.");
                Shutdown.await(() -> end(running, temporary, dir));
            }
            return 0;
        } finally {
            end(running, temporary, dir);
        }
    }

    private void show(Path dir, List<AutoCloseable> running) throws Exception {
        step("Starting API server and proxy");
        UpOptions options = options(dir);
        Cluster cluster = Cluster.start(options);
        running.add(cluster);
        System.out.println("  " + cluster.readyLine());
        KubeClient client = KubeClient.of(KubeConfig.load(cluster.kubeconfig(), Clock.systemUTC()));
        running.add(client);

        step("Starting two HTTP servers, blue and green");
        DemoBackend blue = DemoBackend.start("blue", IpAddress.of("198.51.100.11"));
        running.add(blue);
        DemoBackend green = DemoBackend.start("green", IpAddress.of("198.51.100.12"));
        running.add(green);
        System.out.println("  blue at " + blue.address().withPort(blue.port()) + ", green at "
                + green.address().withPort(green.port()));

        step(
                "Creating Service default/demo with a node port; its EndpointSlices say blue is ready, green is not");
        ObjectNode service = client.create(DemoObjects.SERVICES, DemoObjects.service());
        client.create(DemoObjects.SLICES, DemoObjects.slice(blue, true));
        client.create(DemoObjects.SLICES, DemoObjects.slice(green, false));
        int nodePort =
                service.path("spec").path("ports").path(0).path("nodePort").asInt();
        String url = "http://127.0.0.1:" + nodePort + '/';
        String target = "127.0.0.1:" + nodePort;

        step("curl " + url);
        awaitDirected(options, blue);
        curlAll(url, blue);
        explain(options, target);

        step("Flipping readiness: green is ready, blue is not");
        setReady(client, green, true);
        setReady(client, blue, false);
        awaitDirected(options, green);
        curlAll(url, green);
        explain(options, target);
        System.out.println("\nSuccess: only ready endpoints were reached.");
    }

    private static UpOptions options(Path dir) throws IOException {
        UpOptions options = new UpOptions();
        options.dataDir = dir;
        options.bind = "127.0.0.1";
        options.port = 0;
        // A range of its own, so that a cluster that runs beside it keeps its route.
        options.serviceCidr = "10.95.0.0/24";
        options.proxyMode = "userspace";
        options.without = List.of("node");
        options.healthzBindAddress = "127.0.0.1:" + freePort();
        options.metricsBindAddress = "127.0.0.1:" + freePort();
        return options;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void setReady(KubeClient client, DemoBackend backend, boolean ready)
            throws IOException {
        client.patch(
                DemoObjects.SLICES,
                DemoObjects.sliceName(backend),
                "",
                PatchType.JSON,
                DemoObjects.readiness(ready));
    }

    /** Until the proxy says that new connections go there alone, it may rightly choose what was ready before. */
    private static void awaitDirected(UpOptions options, DemoBackend backend)
            throws IOException, InterruptedException {
        DebugClient debug = new DebugClient(options.metricsBindAddress);
        List<String> expected = List.of(backend.address().withPort(backend.port()));
        List<String> found = List.of();
        for (long end = System.nanoTime() + PATIENCE_NANOS; System.nanoTime() < end; ) {
            found = endpoints(Json.parseObject(debug.get("/debug/image")));
            if (found.equals(expected)) {
                return;
            }
            Thread.sleep(20);
        }
        throw new IOException("the proxy does not direct Service " + DemoObjects.SERVICE + " to "
                + backend.name() + " after 15 s, but to " + found);
    }

    private static List<String> endpoints(ObjectNode image) {
        List<String> out = new ArrayList<>();
        for (JsonNode port : image.path("servicePorts")) {
            if (port.path("service").asText().equals(DemoObjects.SERVICE.name())) {
                port.path("clusterEndpoints").forEach(endpoint -> out.add(endpoint.asText()));
            }
        }
        return out;
    }

    private static void curlAll(String url, DemoBackend expected)
            throws IOException, InterruptedException {
        for (int i = 0; i < CURLS; i++) {
            String got = Curl.get(url).strip();
            System.out.println("  " + got);
            if (!got.endsWith(expected.name())) {
                throw new IOException(
                        "expected an answer from " + expected.name() + ", got: " + got);
            }
        }
    }

    private static void explain(UpOptions options, String target) throws IOException {
        step("./sluice explain " + target);
        new DebugClient(options.metricsBindAddress)
                .explain(target, "", false)
                .lines()
                .forEach(line -> System.out.println("  " + line));
    }

    private static void step(String text) {
        System.out.println("\n» " + text);
        System.out.flush();
    }

    private static void end(List<AutoCloseable> running, boolean temporary, Path dir) {
        List<AutoCloseable> parts;
        synchronized (running) {
            parts = List.copyOf(running).reversed();
            running.clear();
        }
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                System.err.println("sluice demo: ending: " + e.getMessage());
            }
        }
        if (temporary) {
            delete(dir);
        }
    }

    private static void delete(Path dir) {
        if (!Files.exists(dir)) {
            return;
        }
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            System.err.println("sluice demo: " + dir + " stays: " + e.getMessage());
        }
    }
}
