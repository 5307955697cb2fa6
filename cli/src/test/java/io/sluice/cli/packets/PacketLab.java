package io.sluice.cli.packets;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.PatchType;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;
import io.sluice.cli.lab.Objects;
import io.sluice.cli.lab.SluiceProcess;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The lab with servers in its pods, a real API server, and on node A the proxy as a process of its own. Needs root. */
final class PacketLab implements AutoCloseable {
    static final List<Protocol> PROTOCOLS = List.of(Protocol.TCP, Protocol.UDP);
    private static final GroupVersionResource NODES = new GroupVersionResource("", "v1", "nodes");
    private static final int METRICS_PORT = 10_249;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path dir;
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final Topology topology;
    private final Tunnel tunnel;
    private final KubeClient client;
    private final Map<String, Map<String, ObjectNode>> slicesOf = new TreeMap<>();
    private int nextNumber = 100;
    private int services;
    private int slices;
    private SluiceProcess proxy;

    /** @param dir where logs and the store go */
    PacketLab(Path dir) throws IOException {
        this.dir = dir;
        try {
            topology = keep(new Topology());
            for (String pod : LabPlan.PODS) {
                keep(new LabServer(topology.space(pod), pod, LabPlan.POD_PORT));
                keep(new LabServer(
                        topology.space(pod),
                        pod + ':' + LabPlan.SECOND_POD_PORT,
                        LabPlan.SECOND_POD_PORT));
            }
            keep(new LabServer(topology.world(), "world", LabPlan.POD_PORT));
            SluiceProcess apiServer = keep(apiServer());
            client = keep(SluiceProcess.client(data()));
            // ready: https://127.0.0.1:PORT …
            int port = URI.create(apiServer.firstLine().split(" ")[1]).getPort();
            tunnel = keep(new Tunnel(topology.nodeA(), port));
            client.create(NODES, node());
        } catch (IOException | RuntimeException e) {
            closeParts();
            throw e;
        }
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.add(part);
        return part;
    }

    private Path data() {
        return dir.resolve("data");
    }

    private SluiceProcess apiServer() throws IOException {
        return SluiceProcess.start(
                dir.resolve("apiserver.log"),
                true,
                List.of(
                        "apiserver",
                        "--data-dir",
                        data().toString(),
                        "--bind",
                        "127.0.0.1",
                        "--port",
                        "0",
                        "--service-cidr",
                        LabPlan.SERVICE_RANGES));
    }

    private static ObjectNode node() {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "Node");
        out.putObject("metadata")
                .put("name", LabPlan.NODE_A)
                .putObject("labels")
                .put("topology.kubernetes.io/zone", LabPlan.ZONE);
        var addresses = out.putObject("status").putArray("addresses");
        for (IpFamily family : IpFamily.values()) {
            addresses
                    .addObject()
                    .put("type", "InternalIP")
                    .put("address", LabPlan.nodeA(family).toString());
        }
        return out;
    }

    Topology topology() {
        return topology;
    }

    Tunnel tunnel() {
        return tunnel;
    }

    KubeClient client() {
        return client;
    }

    SluiceProcess proxy() {
        return proxy;
    }

    /** Makes the Service, its status and its slices. */
    void create(Situation situation) throws IOException {
        ObjectNode made = client.create(Objects.SERVICES, situation.service(PROTOCOLS));
        client.update(Objects.SERVICES, situation.withStatus(made), "status");
        services++;
        endpoints(situation);
    }

    /** Like nobody else's, with addresses of its own. */
    Situation create(String shape, String endpoints) throws IOException {
        Situation out = reserve(shape, endpoints);
        create(out);
        return out;
    }

    /** Numbers a Service that the caller makes. */
    Situation reserve(String shape, String endpoints) {
        return new Situation(nextNumber++, shape, endpoints);
    }

    /** Makes a Service out of the ordinary, with the situation's endpoints. @param vip its status; empty for none */
    void create(Situation situation, ObjectNode service, String vip) throws IOException {
        ObjectNode made = client.create(Objects.SERVICES, service);
        if (!vip.isEmpty()) {
            made.putObject("status")
                    .putObject("loadBalancer")
                    .putArray("ingress")
                    .addObject()
                    .put("ip", vip);
            client.update(Objects.SERVICES, made, "status");
        }
        services++;
        endpoints(situation);
    }

    /** Brings the Service's slices to what the situation says; slices that stay are changed in place. */
    void endpoints(Situation situation) throws IOException {
        Map<String, ObjectNode> known =
                slicesOf.computeIfAbsent(situation.name(), name -> new TreeMap<>());
        Map<String, ObjectNode> wanted = new TreeMap<>();
        for (ObjectNode slice : situation.slices(PROTOCOLS)) {
            wanted.put(slice.at("/metadata/name").asText(), slice);
        }
        for (Map.Entry<String, ObjectNode> slice : wanted.entrySet()) {
            if (!known.containsKey(slice.getKey())) {
                client.create(Objects.SLICES, slice.getValue());
                slices++;
            } else if (!known.get(slice.getKey()).equals(slice.getValue())) {
                client.patch(
                        Objects.SLICES, id(slice.getKey()), "", PatchType.MERGE, slice.getValue());
            }
        }
        for (String name : List.copyOf(known.keySet())) {
            if (!wanted.containsKey(name)) {
                client.delete(Objects.SLICES, id(name), Json.object());
                slices--;
            }
        }
        slicesOf.put(situation.name(), wanted);
    }

    /** Takes the slices of one family away. */
    void dropSlices(Situation situation, IpFamily family) throws IOException {
        Map<String, ObjectNode> known = slicesOf.get(situation.name());
        for (String name : List.copyOf(known.keySet())) {
            if (name.endsWith(family.text().toLowerCase())) {
                client.delete(Objects.SLICES, id(name), Json.object());
                known.remove(name);
                slices--;
            }
        }
    }

    /** Takes the Service and its slices away. */
    void delete(Situation situation) throws IOException {
        client.delete(Objects.SERVICES, id(situation.name()), Json.object());
        services--;
        endpoints(situation.with("none"));
    }

    static NamespacedName id(String name) {
        return new NamespacedName(Situation.NAMESPACE, name);
    }

    Probe probe(NetSpace from, Situation to, Knock knock, IpFamily family, Protocol protocol) {
        return new Probe(from, to.address(knock, family), to.port(knock), protocol);
    }

    /** Until the client is served by this endpoint. */
    static void awaitServedBy(String server, Probe probe) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> probe.ask(Duration.ofSeconds(2)), seen -> servedBy(server, seen));
    }

    /** Until the client is served by this endpoint so often in a row that it is no luck any more. */
    static void awaitServedByNobodyBut(String server, Probe probe) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> IntStream.range(0, 16)
                        .allMatch(time -> servedBy(server, probe.ask(Duration.ofSeconds(5)))));
    }

    static boolean servedBy(String server, Seen seen) {
        return seen instanceof Seen.Answer answer && answer.server().equals(server);
    }

    static void awaitRefused(Probe probe) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> probe.ask(Duration.ofSeconds(2)), new Seen.Refusal()::equals);
    }

    /** Starts the proxy on node A and waits until all Services are in place. */
    void startProxy(Mode mode, Settings settings, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "proxy",
                "--kubeconfig=" + data().resolve("admin.kubeconfig"),
                "--hostname-override=" + LabPlan.NODE_A,
                "--proxy-mode=" + mode.text,
                "--metrics-bind-address=127.0.0.1:" + METRICS_PORT,
                "--conntrack-max-per-core=0",
                "--oom-score-adj=0"));
        words.addAll(settings.flags);
        hint(mode);
        words.addAll(List.of(more));
        proxy = SluiceProcess.start(
                dir.resolve("proxy.log"), false, topology.nodeA().prefix(), words);
        awaitSynced();
    }

    /** The kubelet's chain, which tells which iptables a node uses. */
    private void hint(Mode mode) throws IOException {
        if (mode == Mode.IPTABLES_LEGACY) {
            topology.nodeA()
                    .exec(
                            "*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n",
                            "iptables-legacy-restore",
                            "--noflush");
        }
    }

    /** {@code proxy --cleanup}. */
    void cleanUp() throws IOException {
        SluiceProcess process = SluiceProcess.start(
                dir.resolve("cleanup.log"),
                false,
                topology.nodeA().prefix(),
                List.of("proxy", "--cleanup"));
        int code = process.await(PATIENCE);
        if (code != 0) {
            throw new IOException("proxy --cleanup ended with " + code + ": " + process.log());
        }
    }

    /** SIGTERM. */
    void stopProxy() throws InterruptedException {
        if (proxy != null) {
            proxy.terminate();
            proxy = null;
        }
    }

    /** Until the proxy's last sync knew as many objects as were made here. */
    private void awaitSynced() {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(() -> {
                    if (!proxy.isAlive()) {
                        throw new IllegalStateException("the proxy ended: " + proxy.log());
                    }
                    ObjectNode status = Json.parseObject(get("/debug/status"));
                    // The API server has a Service of its own with a slice.
                    return status.path("services").asInt() > services
                            && status.path("endpointSlices").asInt() > slices;
                });
    }

    /** A page of the proxy's loopback port. */
    String get(String path) throws IOException {
        try (SocketChannel channel = topology.nodeA().tcp(IpFamily.IPV4)) {
            channel.socket()
                    .connect(
                            new InetSocketAddress(
                                    InetAddress.getByAddress(new byte[] {127, 0, 0, 1}),
                                    METRICS_PORT),
                            2_000);
            channel.socket().setSoTimeout(5_000);
            channel.write(ByteBuffer.wrap(
                    ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII)));
            String all = new String(
                    channel.socket().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return all.substring(all.indexOf("\r\n\r\n") + 4);
        }
    }

    private void closeParts() {
        for (AutoCloseable part : parts.reversed()) {
            try {
                part.close();
            } catch (Exception e) {
                System.err.println("closing the lab: " + e);
            }
        }
    }

    @Override
    public void close() {
        if (proxy != null) {
            proxy.close();
        }
        closeParts();
    }
}
