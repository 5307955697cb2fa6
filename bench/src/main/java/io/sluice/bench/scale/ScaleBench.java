package io.sluice.bench.scale;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;
import io.sluice.api.client.PatchType;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Loads Services with endpoints through the API of a running {@code up}, then flips one endpoint's readiness again and again and takes
 * the time until new connections arrive at the other one.
 *
 * <p>Arguments: {@code --services N} (10000), {@code --endpoints N} (5), {@code --flips N} (200).
 */
public final class ScaleBench {
    private static final GroupVersionResource SERVICES =
            new GroupVersionResource("", "v1", "services");
    private static final GroupVersionResource SLICES =
            new GroupVersionResource("discovery.k8s.io", "v1", "endpointslices");
    private static final int WRITERS = 4;
    private static final int API_PORT = 28_443;
    private static final int METRICS_PORT = 28_249;
    /** Of the documentation block (RFC 5737): endpoints that nobody connects to. */
    private static final String POD_PREFIX = "203.0.113.";

    private ScaleBench() {}

    public static void main(String[] args) throws Exception {
        int services = option(args, "--services", 10_000);
        int endpoints = option(args, "--endpoints", 5);
        int flips = option(args, "--flips", 200);
        Path dir = Files.createTempDirectory("scale-bench");
        Process up = start(dir);
        try (BufferedReader out = up.inputReader()) {
            long begin = System.nanoTime();
            String ready = out.readLine();
            System.out.printf("up: ready after %.2f s: %s%n", seconds(begin), ready);
            System.out.printf("resident at start: %.0f MB%n", resident(up.pid()));
            try (KubeClient client = KubeClient.of(
                    KubeConfig.load(dir.resolve("admin.kubeconfig"), Clock.systemUTC()))) {
                load(client, services, endpoints);
                System.out.printf(
                        "resident with %d x %d: %.0f MB%n",
                        services, endpoints, resident(up.pid()));
                flip(client, flips);
                System.out.printf("resident after %d flips: %.0f MB%n", flips, resident(up.pid()));
            }
        } finally {
            up.destroy();
            up.waitFor();
        }
    }

    private static int option(String[] args, String name, int standard) {
        int at = List.of(args).indexOf(name);
        return at >= 0 && at + 1 < args.length ? Integer.parseInt(args[at + 1]) : standard;
    }

    private static Process start(Path dir) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-Xms24m",
                "-Xmx1g",
                "-XX:+UseCompactObjectHeaders",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                "io.sluice.cli.Main"));
        command.addAll(Arrays.asList(
                "up",
                "--without",
                "node",
                "--data-dir",
                dir.toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                String.valueOf(API_PORT),
                "--service-cidr",
                "10.95.0.0/16",
                "--healthz-bind-address",
                "127.0.0.1:28256",
                "--metrics-bind-address",
                "127.0.0.1:" + METRICS_PORT));
        return new ProcessBuilder(command)
                .redirectError(dir.resolve("up.log").toFile())
                .start();
    }

    private static void load(KubeClient client, int services, int endpoints) throws Exception {
        long begin = System.nanoTime();
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int first = writer;
                all.add(writers.submit(() -> {
                    for (int i = first; i < services; i += WRITERS) {
                        client.create(SERVICES, service("s" + i, "ClusterIP"));
                        client.create(SLICES, slice("s" + i, endpoints));
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        double seconds = seconds(begin);
        System.out.printf(
                "loaded %d Services and slices through the API in %.1f s: %.0f durable writes/s with %d clients%n",
                services, seconds, 2 * services / seconds, WRITERS);
    }

    private static ObjectNode service(String name, String type) {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "Service");
        out.putObject("metadata").put("name", name).put("namespace", "default");
        ObjectNode spec = out.putObject("spec").put("type", type);
        spec.putArray("ports").addObject().put("name", "http").put("port", 80);
        return out;
    }

    private static ObjectNode slice(String service, int endpoints) {
        ObjectNode out = slice(service, service + "-1", 8080);
        for (int i = 0; i < endpoints; i++) {
            addEndpoint(out, POD_PREFIX + (i + 1), true);
        }
        return out;
    }

    private static ObjectNode slice(String service, String name, int port) {
        ObjectNode out =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        out.putObject("metadata")
                .put("name", name)
                .put("namespace", "default")
                .putObject("labels")
                .put("kubernetes.io/service-name", service);
        out.put("addressType", "IPv4");
        out.putArray("ports")
                .addObject()
                .put("name", "http")
                .put("port", port)
                .put("protocol", "TCP");
        out.putArray("endpoints");
        return out;
    }

    private static void addEndpoint(ObjectNode slice, String address, boolean ready) {
        ObjectNode endpoint = slice.withArray("endpoints").addObject();
        endpoint.putArray("addresses").add(address);
        endpoint.putObject("conditions").put("ready", ready);
    }

    /** Two real servers behind one node port; one of them is ready at a time. */
    private static void flip(KubeClient client, int flips) throws Exception {
        InetAddress address = machineAddress();
        try (NamedServer blue = new NamedServer(address, 'b');
                NamedServer green = new NamedServer(address, 'g')) {
            ObjectNode service = client.create(SERVICES, service("flip", "NodePort"));
            int nodePort = service.at("/spec/ports/0/nodePort").asInt();
            create(client, "flip-b", address, blue.port(), true);
            create(client, "flip-g", address, green.port(), false);
            awaitName(nodePort, 'b');
            double[] millis = new double[flips];
            char current = 'b';
            for (int i = 0; i < flips; i++) {
                char next = current == 'b' ? 'g' : 'b';
                setReady(client, "flip-" + next, true);
                long begin = System.nanoTime();
                setReady(client, "flip-" + current, false);
                awaitName(nodePort, next);
                millis[i] = seconds(begin) * 1e3;
                current = next;
            }
            Arrays.sort(millis);
            System.out.printf(
                    "change to traffic, write included: p50 %.2f ms, p99 %.2f ms, most %.2f ms over %d flips%n",
                    millis[flips / 2],
                    millis[Math.min(flips - 1, flips * 99 / 100)],
                    millis[flips - 1],
                    flips);
        }
    }

    private static InetAddress machineAddress() throws IOException {
        return java.net.NetworkInterface.networkInterfaces()
                .flatMap(java.net.NetworkInterface::inetAddresses)
                .filter(address -> address.getAddress().length == 4 && !address.isLoopbackAddress())
                .findFirst()
                .orElseThrow(
                        () -> new IOException("endpoints need an address that is not loopback"));
    }

    private static void create(
            KubeClient client, String name, InetAddress address, int port, boolean ready)
            throws IOException {
        ObjectNode slice = slice("flip", name, port);
        addEndpoint(slice, address.getHostAddress(), ready);
        client.create(SLICES, slice);
    }

    private static void setReady(KubeClient client, String slice, boolean ready)
            throws IOException {
        var patch = Json.MAPPER.createArrayNode();
        patch.addObject()
                .put("op", "replace")
                .put("path", "/endpoints/0/conditions/ready")
                .put("value", ready);
        client.patch(SLICES, new NamespacedName("default", slice), "", PatchType.JSON, patch);
    }

    /** Connects until the wanted server answers; a connection that fails ends the bench. */
    private static void awaitName(int nodePort, char name) throws IOException {
        long end = System.nanoTime() + 10_000_000_000L;
        while (System.nanoTime() < end) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", nodePort), 1_000);
                if (socket.getInputStream().read() == name) {
                    return;
                }
            } catch (java.net.ConnectException e) {
                Thread.onSpinWait(); // before the first slice is known
            }
        }
        throw new IOException("no new connection reached server '" + name + "' within 10 s");
    }

    /** Sends its one-letter name to whoever connects. */
    private static final class NamedServer implements AutoCloseable {
        private final ServerSocket socket;

        NamedServer(InetAddress address, char name) throws IOException {
            socket = new ServerSocket(0, 500, address);
            Thread.ofPlatform().daemon().start(() -> {
                while (!socket.isClosed()) {
                    try (Socket client = socket.accept()) {
                        client.getOutputStream().write(name);
                    } catch (IOException e) {
                        // the client went away, or we are closed
                    }
                }
            });
        }

        int port() {
            return socket.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private static double resident(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024 / 1e6;
            }
        }
        return 0;
    }
}
