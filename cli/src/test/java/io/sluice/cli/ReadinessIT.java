package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.PatchType;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;
import io.sluice.cli.lab.DatagramServer;
import io.sluice.cli.lab.LocalBlock;
import io.sluice.cli.lab.NamedServer;
import io.sluice.cli.lab.Objects;
import io.sluice.cli.lab.ReadyWindows;
import io.sluice.cli.lab.SluiceProcess;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** New connections and datagrams reach the endpoints that are ready, whichever of three they are at the moment. Needs root. */
class ReadinessIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TARGET = 18_090;
    private static final Map<String, String> ADDRESSES =
            new TreeMap<>(Map.of("a", "198.51.100.31", "b", "198.51.100.32", "c", "198.51.100.33"));
    private static final List<String> NAMES = List.copyOf(ADDRESSES.keySet());

    @TempDir
    static Path dir;

    private static final List<AutoCloseable> RUNNING = new ArrayList<>();
    private static DebugClient debug;
    private static KubeClient client;

    @BeforeAll
    static void start() throws Exception {
        int metrics = SluiceProcess.freePort();
        RUNNING.add(new LocalBlock(ADDRESSES.values().toArray(String[]::new)));
        RUNNING.add(SluiceProcess.up(dir.resolve("data"), 0, metrics));
        debug = new DebugClient("127.0.0.1:" + metrics);
        client = SluiceProcess.client(dir.resolve("data"));
        RUNNING.add(client);
        for (String name : NAMES) {
            InetAddress address = InetAddress.getByName(ADDRESSES.get(name));
            RUNNING.add(new NamedServer(name, address, TARGET));
            RUNNING.add(new DatagramServer(name, address, TARGET));
        }
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable part : RUNNING.reversed()) {
            part.close();
        }
    }

    /** @return its node port */
    private static int createService(String name, String protocol) throws IOException {
        ObjectNode created = client.create(
                Objects.SERVICES, Objects.service(name, "NodePort", protocol, TARGET));
        ObjectNode slice = Objects.slice(name, name, protocol, ADDRESSES.get("a"), TARGET, false);
        slice.set("endpoints", endpoints(Set.of()));
        client.create(Objects.SLICES, slice);
        return created.at("/spec/ports/0/nodePort").asInt();
    }

    private static ArrayNode endpoints(Set<String> ready) {
        ArrayNode out = Json.MAPPER.createArrayNode();
        ADDRESSES.forEach((name, address) -> {
            ObjectNode endpoint = out.addObject();
            endpoint.putArray("addresses").add(address);
            boolean is = ready.contains(name);
            endpoint.putObject("conditions").put("ready", is).put("serving", is);
        });
        return out;
    }

    /** Returns when the proxy knows. */
    private static void setReady(String service, Set<String> ready) throws IOException {
        ArrayNode patch = Json.MAPPER.createArrayNode();
        patch.addObject()
                .put("op", "replace")
                .put("path", "/endpoints")
                .set("value", endpoints(ready));
        NamespacedName name = new NamespacedName("default", service);
        client.patch(Objects.SLICES, name, "", PatchType.JSON, patch);
        Set<String> expected = new HashSet<>();
        ready.forEach(endpoint -> expected.add(ADDRESSES.get(endpoint) + ':' + TARGET));
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> known(service), expected::equals);
    }

    private static Set<String> known(String service) throws IOException {
        Set<String> out = new HashSet<>();
        for (var port : Json.parseObject(debug.get("/debug/image")).path("servicePorts")) {
            if (port.path("service").asText().equals(service)) {
                port.path("clusterEndpoints").forEach(endpoint -> out.add(endpoint.asText()));
            }
        }
        return out;
    }

    /** Under random changes, each connection comes to an endpoint that was ready when it was chosen, and none fails. */
    @Test
    void noConnectionReachesAnEndpointThatIsNotReady() throws Exception {
        int port = createService("flips", "TCP");
        ReadyWindows windows = new ReadyWindows();
        windows.open(Set.of("a"), System.nanoTime());
        setReady("flips", Set.of("a"));
        Queue<String> problems = new ConcurrentLinkedQueue<>();
        AtomicBoolean done = new AtomicBoolean();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(Thread.ofVirtual().start(() -> {
                while (!done.get() && problems.isEmpty()) {
                    check(port, windows, problems);
                }
            }));
        }
        Random random = new Random(20_261_201);
        for (int flip = 0; flip < 100 && problems.isEmpty(); flip++) {
            Set<String> next = someOf(random);
            windows.open(next, System.nanoTime());
            setReady("flips", next);
            windows.closeAllBut(next, System.nanoTime());
        }
        done.set(true);
        for (Thread thread : clients) {
            thread.join();
        }
        assertThat(problems).isEmpty();
    }

    private static Set<String> someOf(Random random) {
        Set<String> out = new HashSet<>();
        out.add(NAMES.get(random.nextInt(NAMES.size())));
        NAMES.stream().filter(_ -> random.nextInt(3) == 0).forEach(out::add);
        return out;
    }

    private static void check(int port, ReadyWindows windows, Queue<String> problems) {
        long from = System.nanoTime();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 20_000);
            socket.setSoTimeout(20_000);
            String name = String.valueOf((char) socket.getInputStream().read());
            if (!windows.allows(name, from, System.nanoTime())) {
                problems.add("answered by \"" + name + "\", which was not ready");
            }
        } catch (IOException e) {
            problems.add(e.toString());
        }
    }

    /** kube-proxy 1.36 leaves the client with the former endpoint when a Service went through zero endpoints. */
    @Test
    void aClientWithOnePortFollowsAlsoThroughZeroEndpoints() throws Exception {
        int port = createService("datagrams", "UDP");
        setReady("datagrams", Set.of("a"));
        try (DatagramSocket socket = new DatagramSocket(0)) {
            socket.setSoTimeout(500);
            InetSocketAddress to = new InetSocketAddress("127.0.0.1", port);
            awaitAnswer(socket, to, "a");
            setReady("datagrams", Set.of("b"));
            awaitAnswer(socket, to, "b");
            setReady("datagrams", Set.of());
            awaitAnswer(socket, to, "");
            setReady("datagrams", Set.of("c"));
            awaitAnswer(socket, to, "c");
        }
    }

    private static void awaitAnswer(DatagramSocket socket, InetSocketAddress to, String name) {
        await().atMost(PATIENCE).until(() -> exchange(socket, to), name::equals);
    }

    /** Who answered; empty if nobody did. */
    private static String exchange(DatagramSocket socket, InetSocketAddress to) throws IOException {
        socket.send(new DatagramPacket(new byte[] {'?'}, 1, to));
        DatagramPacket answer = new DatagramPacket(new byte[64], 64);
        try {
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII);
        } catch (SocketTimeoutException e) {
            return "";
        }
    }
}
