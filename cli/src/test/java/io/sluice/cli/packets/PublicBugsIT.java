package io.sluice.cli.packets;

import static io.sluice.api.net.IpFamily.IPV4;
import static io.sluice.api.net.IpFamily.IPV6;
import static io.sluice.api.net.Protocol.TCP;
import static io.sluice.api.net.Protocol.UDP;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.PatchType;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;
import io.sluice.cli.lab.Objects;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What users reported of kube-proxy, with real packets; numbers are issues and pull requests of kubernetes/kubernetes. Reports about one
 * connection in a state that stays are rows of the packet table.
 */
@ParameterizedClass
@MethodSource("modes")
class PublicBugsIT {
    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir
    static Path temp;

    private static PacketLab lab;

    @Parameter
    Mode mode;

    static Stream<Mode> modes() {
        return Mode.withOwnRules();
    }

    @BeforeAll
    static void build() throws Exception {
        lab = new PacketLab(temp);
    }

    @AfterAll
    static void tearDown() {
        if (lab != null) {
            lab.close();
        }
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode) throws Exception {
        lab.startProxy(mode, Settings.POD_BLOCK);
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        lab.stopProxy();
        lab.cleanUp();
    }

    private static NetSpace pod() {
        return lab.topology().space("c1");
    }

    private static NetSpace outside() {
        return lab.topology().outside();
    }

    private static FixedPortClient client(NetSpace from, Situation to, Knock knock)
            throws IOException {
        return new FixedPortClient(from, to.address(knock, IPV4), to.port(knock));
    }

    private static void awaitServedBy(String server, FixedPortClient client) {
        await().atMost(Duration.ofSeconds(15))
                .until(client::ask, seen -> PacketLab.servedBy(server, seen));
    }

    private static void awaitNotServed(FixedPortClient client) {
        await().atMost(Duration.ofSeconds(15))
                .until(client::ask, seen -> !(seen instanceof Seen.Answer));
    }

    @Test
    void issue139628_aUdpClientFollowsItsServiceThroughZeroEndpoints() throws Exception {
        Situation service = lab.create("Cluster", "a1");
        PacketLab.awaitServedBy("a1", probe(service, UDP));
        try (FixedPortClient client = client(pod(), service, Knock.CLUSTER_IP)) {
            awaitServedBy("a1", client);
            lab.endpoints(service.with("none"));
            awaitNotServed(client);
            lab.endpoints(service.with("b1"));
            awaitServedBy("b1", client);
        }
        lab.delete(service);
    }

    @Test
    void pr141371_aDeletedUdpServiceLeavesNothingToItsSuccessor() throws Exception {
        Situation first = lab.create("Cluster", "a1");
        PacketLab.awaitServedBy("a1", probe(first, UDP));
        try (FixedPortClient client = client(pod(), first, Knock.CLUSTER_IP)) {
            awaitServedBy("a1", client);
            lab.delete(first);
            Situation second = first.with("b1");
            lab.create(second);
            awaitServedBy("b1", client);
            lab.delete(second);
        }
    }

    @Test
    void issue48370_aUdpClientThatCameTooEarlyIsServedOnceThereIsAnEndpoint() throws Exception {
        Situation service = lab.create("Cluster", "none");
        PacketLab.awaitRefused(probe(service, UDP));
        try (FixedPortClient client = client(pod(), service, Knock.CLUSTER_IP)) {
            assertThat(client.ask()).isNotInstanceOf(Seen.Answer.class);
            lab.endpoints(service.with("b1"));
            awaitServedBy("b1", client);
        }
        lab.delete(service);
    }

    @Test
    void issue59368_udpNodePortsForgetTheirFormerEndpoints() throws Exception {
        Situation service = lab.create("Cluster", "none");
        PacketLab.awaitRefused(lab.probe(outside(), service, Knock.NODE_PORT, IPV4, UDP));
        try (FixedPortClient early = client(outside(), service, Knock.NODE_PORT)) {
            assertThat(early.ask()).isNotInstanceOf(Seen.Answer.class);
            lab.endpoints(service.with("a1"));
            awaitServedBy("a1", early);
            lab.endpoints(service.with("b1"));
            awaitServedBy("b1", early);
        }
        lab.delete(service);
    }

    @Test
    void issue122740_restartsSpareLiveUdpFlows() throws Exception {
        assumeThat(mode.inKernel()).as("the relay's flows end with it").isTrue();
        Situation service = lab.create("Cluster", "a1, b1");
        PacketLab.awaitServedBy("a1", probe(service, UDP));
        try (FixedPortClient client = client(pod(), service, Knock.CLUSTER_IP)) {
            Seen before = client.ask();
            assertThat(before).isInstanceOf(Seen.Answer.class);
            String flow = flow(client);
            lab.stopProxy();
            assertThat(client.ask()).isEqualTo(before);
            lab.startProxy(mode, Settings.POD_BLOCK);
            // The clean-up that follows a first sync has been done when a later change is in force.
            Situation later = lab.create("Cluster", "a1");
            PacketLab.awaitServedBy("a1", probe(later, UDP));
            assertThat(client.ask()).isEqualTo(before);
            assertThat(flow(client)).isEqualTo(flow);
            lab.delete(later);
        }
        lab.delete(service);
    }

    /** The kernel's name for the client's flow. */
    private static String flow(FixedPortClient client) throws IOException {
        return flow(String.valueOf(client.port()));
    }

    private static String flow(String sourcePort) throws IOException {
        String all = lab.topology()
                .nodeA()
                .exec(
                        "",
                        "conntrack",
                        "-L",
                        "-p",
                        "udp",
                        "--orig-port-src",
                        sourcePort,
                        "-o",
                        "id");
        return all.lines()
                .filter(line -> line.contains("sport=" + sourcePort + ' '))
                .map(line -> line.replaceAll(".* (id=\\d+).*", "$1"))
                .findFirst()
                .orElse("none in " + all);
    }

    /** kube-proxy takes every flow to this port number, wherever it goes. */
    @Test
    void issue49881_flowsOfOthersToTheSamePortAreSpared() throws Exception {
        assumeThat(mode.inKernel()).as("flows in the kernel").isTrue();
        Situation service = lab.create("Cluster", "a1");
        PacketLab.awaitServedBy("a1", probe(service, UDP));
        try (FixedPortClient stranger = new FixedPortClient(
                        lab.topology().nodeA(),
                        LabPlan.world(IPV4),
                        service.port(Knock.NODE_PORT));
                FixedPortClient client = client(pod(), service, Knock.CLUSTER_IP)) {
            assertThat(stranger.ask()).isInstanceOf(Seen.Answer.class);
            String flow = flow(stranger);
            awaitServedBy("a1", client);
            lab.endpoints(service.with("b1"));
            awaitServedBy("b1", client);
            assertThat(flow(stranger)).isEqualTo(flow);
        }
        lab.delete(service);
    }

    @Test
    void issue110302_stickyClientsLeaveAnEndpointThatIsNotReady() throws Exception {
        Situation service = lab.create("affinity", "a1, b1");
        Probe probe = probe(service, TCP);
        PacketLab.awaitServedBy(firstServer(probe), probe);
        String chosen = firstServer(probe);
        String other = chosen.equals("a1") ? "b1" : "a1";
        lab.endpoints(service.with(chosen + " not ready, " + other));
        PacketLab.awaitServedBy(other, probe);
        lab.endpoints(service.with("a1, b1"));
        // Whom it goes to then is open: it knows both by now. It stays there.
        PacketLab.awaitServedByNobodyBut(firstServer(probe), probe);
        lab.delete(service);
    }

    /** Before a Service is in place, the world answers in some modes. */
    private static String firstServer(Probe probe) {
        Seen seen = await().atMost(Duration.ofSeconds(15))
                .until(
                        () -> probe.ask(SHORT),
                        found -> found instanceof Seen.Answer answer
                                && LabPlan.PODS.contains(answer.server()));
        return ((Seen.Answer) seen).server();
    }

    @Test
    void issue119656_rangesDoNotReachAnotherPortOfTheSameVip() throws Exception {
        Situation guarded = lab.create("ranges node", "a1");
        Situation open = lab.reserve("Cluster", "b1");
        ObjectNode service = open.service(List.of(TCP));
        ((ObjectNode) service.at("/spec/ports/0")).put("port", 8_443);
        IpAddress vip = LabPlan.vip(guarded.number(), IPV4);
        lab.create(open, service, vip.toString());
        PacketLab.awaitServedBy("b1", new Probe(outside(), vip, 8_443, TCP));
        assertThat(lab.probe(outside(), guarded, Knock.VIP, IPV4, TCP).ask(SHORT))
                .isEqualTo(new Seen.Silence());
        lab.delete(guarded);
        lab.delete(open);
    }

    @Test
    void issue90101_eachFamilyHasItsOwnEndpoints() throws Exception {
        Situation service = lab.create("Cluster", "a1");
        for (IpFamily family : IpFamily.values()) {
            PacketLab.awaitServedBy(
                    "a1", lab.probe(outside(), service, Knock.NODE_PORT, family, TCP));
        }
        lab.dropSlices(service, IPV6);
        PacketLab.awaitRefused(lab.probe(outside(), service, Knock.NODE_PORT, IPV6, TCP));
        PacketLab.awaitRefused(lab.probe(pod(), service, Knock.CLUSTER_IP, IPV6, TCP));
        PacketLab.awaitServedBy("a1", lab.probe(outside(), service, Knock.NODE_PORT, IPV4, TCP));
        lab.delete(service);
    }

    @Test
    void issue114815_aNodePortWorksOnAnAddressThatIsAVipToo() throws Exception {
        Situation balanced = lab.reserve("Cluster", "b1");
        lab.create(balanced, balanced.service(List.of(TCP)), LabPlan.nodeA(IPV4).toString());
        Situation other = lab.create("Cluster", "a1");
        PacketLab.awaitServedBy("a1", lab.probe(outside(), other, Knock.NODE_PORT, IPV4, TCP));
        PacketLab.awaitServedBy(
                "b1", new Probe(outside(), LabPlan.nodeA(IPV4), LabPlan.SERVICE_PORT, TCP));
        lab.delete(balanced);
        lab.delete(other);
    }

    @Test
    void issue132068_aPortThatEqualsAnothersNodePortIsAnotherFrontend() throws Exception {
        Situation other = lab.create("Cluster", "b1");
        Situation service = lab.reserve("Cluster", "a1");
        ObjectNode object = service.service(List.of(TCP));
        int port = other.port(Knock.NODE_PORT);
        ((ObjectNode) object.at("/spec/ports/0")).put("port", port);
        lab.create(service, object, LabPlan.vip(service.number(), IPV4).toString());
        for (Knock knock : List.of(Knock.CLUSTER_IP, Knock.EXTERNAL_IP, Knock.VIP)) {
            Probe probe = new Probe(pod(), service.address(knock, IPV4), port, TCP);
            PacketLab.awaitServedBy("a1", probe);
            if (mode.inKernel()) {
                IpAddress client = ((Seen.Answer) probe.ask(SHORT)).client();
                assertThat(client.equals(LabPlan.pod("c1", IPV4)))
                        .as("%s keeps the source: %s", knock, client)
                        .isEqualTo(knock == Knock.CLUSTER_IP);
            }
        }
        PacketLab.awaitServedBy("b1", lab.probe(outside(), other, Knock.NODE_PORT, IPV4, TCP));
        lab.delete(service);
        lab.delete(other);
    }

    @Test
    void issue73157_oneBadServiceStopsNobody() throws Exception {
        Situation bad = lab.reserve("Cluster", "a1");
        ObjectNode object = bad.service(List.of(TCP));
        ObjectNode spec = (ObjectNode) object.get("spec");
        spec.put("ipFamilyPolicy", "SingleStack");
        spec.putArray("ipFamilies").add("IPv4");
        spec.putArray("clusterIPs").add(LabPlan.clusterIp(bad.number(), IPV4).toString());
        spec.putArray("externalIPs").add("2001:db8::1");
        lab.create(bad, object, "");
        Situation good = lab.create("Cluster", "b1");
        PacketLab.awaitServedBy("b1", probe(good, TCP));
        PacketLab.awaitServedBy("a1", probe(bad, TCP));
        assertThat(lab.proxy().isAlive()).isTrue();
        lab.delete(bad);
        lab.delete(good);
    }

    /** Kernel rules come before sockets; the userspace mode has a socket or none. */
    @Test
    void issue97360_aNodePortWithoutEndpointHidesTheHostsListenerAndNoOther() throws Exception {
        assumeThat(mode.inKernel()).as("rules before sockets").isTrue();
        Situation service = lab.create("Cluster", "none");
        int port = service.port(Knock.NODE_PORT);
        try (LabServer _ = new LabServer(lab.topology().nodeA(), "host", port);
                LabServer _ = new LabServer(lab.topology().nodeA(), "host", 2_222)) {
            PacketLab.awaitRefused(lab.probe(outside(), service, Knock.NODE_PORT, IPV4, TCP));
            PacketLab.awaitServedBy("host", new Probe(outside(), LabPlan.nodeA(IPV4), 2_222, TCP));
        }
        lab.delete(service);
    }

    @Test
    void issue72236_theHostsServersDoNotAnswerOnClusterIps() throws Exception {
        assumeThat(mode.inKernel()).as("a known limit of the relay").isTrue();
        Situation service = lab.create("Cluster", "a1");
        PacketLab.awaitServedBy("a1", probe(service, TCP));
        try (LabServer _ = new LabServer(lab.topology().nodeA(), "host", 2_222)) {
            for (NetSpace from : List.of(pod(), outside(), lab.topology().nodeA())) {
                Probe probe = new Probe(from, service.address(Knock.CLUSTER_IP, IPV4), 2_222, TCP);
                assertThat(PacketLab.servedBy("host", probe.ask(SHORT)))
                        .as(from.name())
                        .isFalse();
            }
        }
        lab.delete(service);
    }

    /** CVE-2020-8558: who is on the same link must not reach what listens on loopback. */
    @Test
    void issue90259_neighboursDoNotReachLoopback() throws Exception {
        NetSpace neighbour = lab.topology().nodeB();
        neighbour.sysctl("ipv4/conf/all/route_localnet", "1");
        neighbour.ip(
                "addr del 127.0.0.1/8 dev lo", "route add 127.0.0.1 via " + LabPlan.nodeA(IPV4));
        try (LabServer _ = new LabServer(lab.topology().nodeA(), "host", 2_222)) {
            Situation service = lab.create("Cluster", "a1");
            PacketLab.awaitServedBy("a1", probe(service, TCP));
            PacketLab.awaitServedBy(
                    "host", new Probe(lab.topology().nodeA(), LabPlan.localhost(IPV4), 2_222, TCP));
            Seen seen = new Probe(neighbour, LabPlan.localhost(IPV4), 2_222, TCP).ask(SHORT);
            assertThat(seen).isEqualTo(new Seen.Silence());
            lab.delete(service);
        } finally {
            neighbour.ip("route del 127.0.0.1", "addr add 127.0.0.1/8 dev lo");
        }
    }

    @Test
    void issue44311_theHealthPortKnowsWhenTheLastLocalEndpointLeft() throws Exception {
        Situation service = lab.create("etp Local", "a1");
        awaitHealth(service, "200 OK");
        lab.endpoints(service.with("a1 terminating, b1"));
        awaitHealth(service, "503 Service Unavailable");
        // The one that ends is served on, for those who still come.
        PacketLab.awaitServedBy("a1", lab.probe(outside(), service, Knock.VIP, IPV4, TCP));
        lab.endpoints(service.with("a1"));
        awaitHealth(service, "200 OK");
        lab.delete(service);
    }

    private static void awaitHealth(Situation service, String status) {
        await().atMost(Duration.ofSeconds(15))
                .ignoreExceptions()
                .until(() -> healthStatus(service), line -> line.equals("HTTP/1.1 " + status));
    }

    private static String healthStatus(Situation service) throws IOException {
        try (SocketChannel channel = outside().tcp(IPV4)) {
            channel.socket()
                    .connect(
                            new InetSocketAddress(
                                    LabPlan.nodeA(IPV4).toInetAddress(),
                                    LabPlan.healthCheckNodePort(service.number())),
                            2_000);
            channel.write(
                    ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII)));
            return new BufferedReader(new InputStreamReader(
                            channel.socket().getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    /** Also 108319: an endpoint that comes back is used again. */
    @Test
    void issue57841_openConnectionsOutliveTheirEndpointsReadiness() throws Exception {
        Situation service = lab.create("Cluster", "a1");
        Probe probe = probe(service, TCP);
        PacketLab.awaitServedBy("a1", probe);
        try (SocketChannel open = pod().tcp(IPV4)) {
            open.connect(new InetSocketAddress(
                    service.address(Knock.CLUSTER_IP, IPV4).toInetAddress(), LabPlan.SERVICE_PORT));
            open.socket().setSoTimeout(5_000);
            BufferedReader in = new BufferedReader(new InputStreamReader(
                    open.socket().getInputStream(), StandardCharsets.US_ASCII));
            assertThat(in.readLine()).startsWith("a1 ");
            lab.endpoints(service.with("b1"));
            PacketLab.awaitServedByNobodyBut("b1", probe);
            open.write(ByteBuffer.wrap("still\n".getBytes(StandardCharsets.US_ASCII)));
            assertThat(in.readLine()).isEqualTo("still");
            lab.endpoints(service.with("a1, b1"));
            PacketLab.awaitServedBy("a1", probe);
        }
        lab.delete(service);
    }

    @Test
    void issue65574_aNodePortIsOfItsProtocolAlone() throws Exception {
        Situation service = lab.reserve("Cluster", "a1");
        lab.create(service, service.service(List.of(TCP)), "");
        PacketLab.awaitServedBy("a1", lab.probe(outside(), service, Knock.NODE_PORT, IPV4, TCP));
        assertThat(lab.probe(outside(), service, Knock.NODE_PORT, IPV4, UDP).ask(SHORT))
                .isEqualTo(new Seen.Refusal());
        lab.delete(service);
    }

    @Test
    void aServiceMadeAgainHasItsNewClusterIpAloneAndTypesChangeWithoutRestart() throws Exception {
        Situation first = lab.create("Cluster", "a1");
        PacketLab.awaitServedBy("a1", probe(first, TCP));
        lab.client()
                .patch(
                        Objects.SERVICES,
                        PacketLab.id(first.name()),
                        "",
                        PatchType.MERGE,
                        Json.parseObject(
                                "{\"spec\":{\"type\":\"ClusterIP\",\"externalIPs\":null}}"));
        PacketLab.awaitRefused(lab.probe(outside(), first, Knock.NODE_PORT, IPV4, TCP));
        PacketLab.awaitServedBy("a1", probe(first, TCP));
        lab.delete(first);
        Situation second = lab.reserve("Cluster", "b1");
        ObjectNode again = second.service(List.of(TCP, UDP));
        ((ObjectNode) again.get("metadata")).put("name", first.name());
        lab.create(first.with("b1"), again, "");
        PacketLab.awaitServedBy("b1", probe(second, TCP));
        Seen former = probe(first, TCP).ask(SHORT);
        assertThat(former instanceof Seen.Answer answer && !answer.server().equals("world"))
                .as("%s", former)
                .isFalse();
        lab.delete(first);
    }

    private static Probe probe(Situation service, Protocol protocol) {
        return lab.probe(pod(), service, Knock.CLUSTER_IP, IPV4, protocol);
    }
}
