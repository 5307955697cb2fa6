package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.PatchType;
import io.sluice.api.meta.NamespacedName;
import io.sluice.cli.lab.LocalBlock;
import io.sluice.cli.lab.NamedServer;
import io.sluice.cli.lab.Objects;
import io.sluice.cli.lab.SluiceProcess;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Real traffic through a real {@code up}: everything over its API, every byte through its relay. Needs root. */
class TrafficIT {
    private static final String BLUE = "198.51.100.11";
    private static final String GREEN = "198.51.100.12";
    private static final String EXTERNAL_IP = "198.51.100.21";
    private static final String VIP = "198.51.100.22";
    private static final int PORT = 18_080;

    @TempDir
    static Path temp;

    private static LocalBlock block;
    private static SluiceProcess up;
    private static KubeClient client;
    private static NamedServer blue;
    private static NamedServer green;
    private static int metricsPort;

    @BeforeAll
    static void start() throws Exception {
        block = new LocalBlock(BLUE, GREEN);
        metricsPort = SluiceProcess.freePort();
        up = SluiceProcess.up(temp.resolve("data"), 0, metricsPort);
        client = SluiceProcess.client(temp.resolve("data"));
        blue = new NamedServer("blue", InetAddress.getByName(BLUE), 0);
        green = new NamedServer("green", InetAddress.getByName(GREEN), 0);
    }

    @AfterAll
    static void stop() throws Exception {
        blue.close();
        green.close();
        client.close();
        assertThat(up.terminate()).as("exit code after SIGTERM").isZero();
        block.close();
    }

    private static String nameAt(String address, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 5_000);
            socket.setSoTimeout(5_000);
            return line(socket.getInputStream());
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder out = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            out.append((char) c);
        }
        return out.toString();
    }

    private static void awaitName(String address, int port, String name) {
        await().atMost(Duration.ofSeconds(10))
                .ignoreExceptions()
                .until(() -> nameAt(address, port).equals(name));
    }

    private static void setReady(String slice, boolean ready) throws IOException {
        client.patch(
                Objects.SLICES,
                new NamespacedName("default", slice),
                "",
                PatchType.JSON,
                Objects.readiness(ready));
    }

    @Test
    void everyKindOfAddressLeadsToTheReadyEndpoint() throws Exception {
        ObjectNode service = Objects.service("kinds", "LoadBalancer", "TCP", PORT);
        ((ObjectNode) service.get("spec")).putArray("externalIPs").add(EXTERNAL_IP);
        ObjectNode made = client.create(Objects.SERVICES, service);
        client.create(
                Objects.SLICES,
                Objects.slice("kinds-blue", "kinds", "TCP", BLUE, blue.port(), true));
        made.putObject("status")
                .putObject("loadBalancer")
                .putArray("ingress")
                .addObject()
                .put("ip", VIP);
        client.update(Objects.SERVICES, made, "status");
        String clusterIp = made.at("/spec/clusterIP").asText();
        int nodePort = made.at("/spec/ports/0/nodePort").asInt();
        awaitName(clusterIp, PORT, "blue");
        awaitName(EXTERNAL_IP, PORT, "blue");
        awaitName(VIP, PORT, "blue");
        awaitName("127.0.0.1", nodePort, "blue");
        assertThat(Curl.get("http://127.0.0.1:" + metricsPort + "/metrics"))
                .contains(
                        "sluice_service_connections_total{ip_family=\"IPv4\",namespace=\"default\",port=\"p\"")
                .contains("kubeproxy_sync_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"}");
        client.delete(
                Objects.SERVICES,
                new NamespacedName("default", "kinds"),
                io.sluice.api.object.Json.object());
        await().until(() -> refuses(clusterIp, PORT));
    }

    private static boolean refuses(String address, int port) {
        try {
            nameAt(address, port);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** What the relay chose from: the endpoint was ready when the connection began, or became so before it was answered. */
    @Test
    void tenThousandConnectionsDuringAHundredFlipsNeverFail() throws Exception {
        ObjectNode made = client.create(
                Objects.SERVICES, Objects.service("flips", "NodePort", "TCP", PORT + 1));
        client.create(
                Objects.SLICES,
                Objects.slice("flips-blue", "flips", "TCP", BLUE, blue.port(), true));
        client.create(
                Objects.SLICES,
                Objects.slice("flips-green", "flips", "TCP", GREEN, green.port(), false));
        int nodePort = made.at("/spec/ports/0/nodePort").asInt();
        awaitName("127.0.0.1", nodePort, "blue");

        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger connections = new AtomicInteger();
        AtomicReference<String> failure = new AtomicReference<>("");
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                clients.submit(() -> connectUntil(done, nodePort, connections, failure));
            }
            try {
                flip(nodePort, connections, failure);
            } finally {
                done.set(true);
            }
        }
        assertThat(failure.get()).isEmpty();
        assertThat(connections.get()).isGreaterThan(8_000);
    }

    private static void flip(
            int nodePort, AtomicInteger connections, AtomicReference<String> failure)
            throws Exception {
        String ready = "blue";
        for (int flip = 0; flip < 100; flip++) {
            String next = ready.equals("blue") ? "green" : "blue";
            setReady("flips-" + next, true);
            setReady("flips-" + ready, false);
            awaitOnly(
                    nodePort,
                    next.equals("blue") ? BLUE + ':' + blue.port() : GREEN + ':' + green.port());
            // The proxy says that the change is in force: nobody may reach the former one now.
            int before = connections.get();
            for (int i = 0; i < 20; i++) {
                assertThat(nameAt("127.0.0.1", nodePort)).isEqualTo(next);
            }
            await().until(() ->
                    connections.get() - before > 80 || !failure.get().isEmpty());
            assertThat(failure.get()).isEmpty();
            ready = next;
        }
    }

    private static void awaitOnly(int nodePort, String endpoint) {
        DebugClient debug = new DebugClient("127.0.0.1:" + metricsPort);
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> debug.explain("127.0.0.1:" + nodePort, "", false)
                        .contains("from node: forward to " + endpoint + " ("));
    }

    private static void connectUntil(
            AtomicBoolean done,
            int nodePort,
            AtomicInteger connections,
            AtomicReference<String> failure) {
        while (!done.get() && failure.get().isEmpty()) {
            try {
                String name = nameAt("127.0.0.1", nodePort);
                if (!name.equals("blue") && !name.equals("green")) {
                    failure.compareAndSet("", "answer \"" + name + '"');
                }
                connections.incrementAndGet();
            } catch (IOException e) {
                failure.compareAndSet("", "connection " + connections.get() + ": " + e);
            }
        }
    }

    @Test
    void openConnectionsFinishWhenTheirEndpointIsNoLongerReady() throws Exception {
        ObjectNode made = client.create(
                Objects.SERVICES, Objects.service("open", "NodePort", "TCP", PORT + 2));
        client.create(
                Objects.SLICES, Objects.slice("open-blue", "open", "TCP", BLUE, blue.port(), true));
        int nodePort = made.at("/spec/ports/0/nodePort").asInt();
        awaitName("127.0.0.1", nodePort, "blue");
        try (Socket open = new Socket("127.0.0.1", nodePort)) {
            open.setSoTimeout(5_000);
            assertThat(line(open.getInputStream())).isEqualTo("blue");
            setReady("open-blue", false);
            await().until(() -> refuses("127.0.0.1", nodePort));
            open.getOutputStream().write("still\n".getBytes());
            assertThat(line(open.getInputStream())).isEqualTo("still");
        }
    }

    @Test
    void explainAndStatusTellWhatTheProxyThinks() throws Exception {
        ObjectNode made = client.create(
                Objects.SERVICES, Objects.service("why", "NodePort", "TCP", PORT + 3));
        client.create(
                Objects.SLICES, Objects.slice("why-blue", "why", "TCP", BLUE, blue.port(), false));
        int nodePort = made.at("/spec/ports/0/nodePort").asInt();
        DebugClient debug = new DebugClient("127.0.0.1:" + metricsPort);
        await().untilAsserted(() -> assertThat(debug.explain("127.0.0.1:" + nodePort, "", false))
                .contains("Service default/why:p, node port")
                .contains("refuse: Service default/why:p has no usable endpoint on any node")
                .contains("left out: " + BLUE + ':' + blue.port())
                .contains("not ready"));
        assertThat(debug.get("/debug/status")).contains("\"healthy\" : true");
        assertThat(debug.get("/debug/image")).contains("\"service\" : \"why\"");
    }
}
