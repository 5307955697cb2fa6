package io.sluice.dataplane.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.AddressType;
import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointPort;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.dataplane.apply.Applier;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServiceTracker;
import io.sluice.kernel.Descriptors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Node ports on loopback beside rules that know nothing of them. */
class LocalhostNodePortsTest {
    private static final IpAddress V4 = IpAddress.of("127.0.0.1");
    private static final IpAddress V6 = IpAddress.of("::1");
    private static final NodeView NODE =
            new NodeView("node-1", "", List.of(IpAddress.of("192.0.2.1")));

    private final Rules rules = new Rules();
    private final ServiceTracker tracker = new ServiceTracker(NODE);
    private long openBefore;
    private LocalhostNodePorts relay;

    /** Rules that can be refused. */
    private static final class Rules implements Applier {
        boolean refused;
        boolean closed;

        @Override
        public List<String> apply(ProxyImage image, ProxyDelta delta) {
            if (refused) {
                throw new UncheckedIOException(new IOException("refused"));
            }
            return List.of();
        }

        @Override
        public List<String> onNode(NodeView node, Collection<IpAddress> interfaceAddresses) {
            return List.of();
        }

        @Override
        public void drain(Duration deadline) {}

        @Override
        public void close() {
            closed = true;
        }
    }

    @BeforeEach
    void start() {
        openBefore = Descriptors.open();
        relay = new LocalhostNodePorts(
                rules, EnumSet.allOf(IpFamily.class), NODE, System::nanoTime);
    }

    @AfterEach
    void end() {
        relay.close();
        assertThat(rules.closed).isTrue();
        assertThat(Descriptors.open()).as("open descriptors").isEqualTo(openBefore);
    }

    private static Service service(String name, int nodePort, boolean externalLocal) {
        return new Service(
                new NamespacedName("default", name),
                name,
                nodePort == 0 ? ServiceType.CLUSTER_IP : ServiceType.NODE_PORT,
                false,
                List.of(IpFamily.IPV4, IpFamily.IPV6),
                List.of(IpAddress.of("10.96.0.7"), IpAddress.of("fd00::7")),
                List.of(new ServicePort("", Protocol.TCP, 80, nodePort)),
                List.of(),
                List.of(),
                List.of(),
                externalLocal,
                false,
                0,
                0,
                "",
                false);
    }

    private void endpoint(AddressType family, IpAddress address, int port, String node) {
        tracker.onSlice(new EndpointSlice(
                new NamespacedName("default", "web-" + family),
                "web",
                false,
                family,
                List.of(new Endpoint(
                        address, true, true, false, node, "", List.of(), List.of(), "")),
                List.of(new EndpointPort("", Protocol.TCP, port)),
                0));
    }

    private List<String> sync() {
        ServiceTracker.CheckOut checkOut = tracker.checkOut();
        return relay.apply(checkOut.image(), checkOut.delta());
    }

    private static char ask(IpAddress address, int port) throws IOException {
        try (Socket socket = new Socket(address.toInetAddress(), port)) {
            socket.setSoTimeout(10_000);
            return (char) socket.getInputStream().read();
        }
    }

    private static void assertRefused(IpAddress address, int port) {
        assertThatThrownBy(() -> ask(address, port)).isInstanceOf(ConnectException.class);
    }

    /** kubernetes/kubernetes 56320, 67730, 90236. */
    @Test
    void bothFamiliesAnswerAsLongAsTheServiceHasTheNodePort() throws Exception {
        int port = RelayLab.freePort(Protocol.TCP);
        try (EchoServer a = new EchoServer("a")) {
            tracker.onService(service("web", port, false));
            assertThat(sync()).isEmpty();
            assertRefused(V4, port);

            // An endpoint of either family may be reached through its own; here both are one
            // server.
            endpoint(AddressType.IPV4, V4, a.port(), "node-1");
            assertThat(sync()).isEmpty();
            assertThat(ask(V4, port)).isEqualTo('a');
            assertRefused(V6, port);
            assertThat(relay.listeners()).isEqualTo(1);

            tracker.onService(service("web", 0, false));
            assertThat(sync()).isEmpty();
            assertRefused(V4, port);
            assertThat(relay.listeners()).isZero();
        }
    }

    @Test
    void ipv6IsRelayedToo() throws Exception {
        int port = RelayLab.freePort(Protocol.TCP);
        try (ServerSocket server = new ServerSocket(0, 10, V6.toInetAddress())) {
            tracker.onService(service("web", port, false));
            endpoint(AddressType.IPV6, V6, server.getLocalPort(), "node-1");
            assertThat(sync()).isEmpty();
            try (Socket client = new Socket(V6.toInetAddress(), port);
                    Socket accepted = server.accept()) {
                accepted.getOutputStream().write('b');
                client.setSoTimeout(10_000);
                assertThat(client.getInputStream().read()).isEqualTo('b');
            }
        }
    }

    @Test
    void aPolicyOfLocalDoesNotBindTheNodeItself() throws Exception {
        int port = RelayLab.freePort(Protocol.TCP);
        try (EchoServer a = new EchoServer("a")) {
            tracker.onService(service("web", port, true));
            endpoint(AddressType.IPV4, V4, a.port(), "another");
            assertThat(sync()).isEmpty();
            assertThat(ask(V4, port)).isEqualTo('a');
        }
    }

    @Test
    void whereTheRulesWereRefusedNothingIsForgotten() throws Exception {
        int port = RelayLab.freePort(Protocol.TCP);
        try (EchoServer a = new EchoServer("a")) {
            tracker.onService(service("web", port, false));
            endpoint(AddressType.IPV4, V4, a.port(), "node-1");
            ServiceTracker.CheckOut checkOut = tracker.checkOut();
            rules.refused = true;
            assertThatThrownBy(() -> relay.apply(checkOut.image(), checkOut.delta()))
                    .isInstanceOf(UncheckedIOException.class);
            rules.refused = false;
            assertThat(relay.apply(checkOut.image(), checkOut.delta())).isEmpty();
            assertThat(ask(V4, port)).isEqualTo('a');
        }
    }

    @Test
    void aTakenPortIsNamedAndServedOnceItIsFree() throws Exception {
        int port = RelayLab.freePort(Protocol.TCP);
        try (EchoServer a = new EchoServer("a")) {
            tracker.onService(service("web", port, false));
            endpoint(AddressType.IPV4, V4, a.port(), "node-1");
            try (ServerSocket holder =
                    new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                assertThat(sync())
                        .singleElement()
                        .asString()
                        .contains("default/web", "127.0.0.1:" + port, "EADDRINUSE");
                assertThat(holder.isBound()).isTrue();
            }
            assertThat(sync()).isEmpty();
            assertThat(ask(V4, port)).isEqualTo('a');
        }
    }

    @Test
    void blocksDecideWhetherLoopbackIsMeant() {
        NodePortAddresses lan = NodePortAddresses.parse(List.of("10.0.0.0/8"));
        NodePortAddresses loopback = NodePortAddresses.parse(List.of("127.0.0.0/8", "fd00::/8"));
        NodePortAddresses primary = NodePortAddresses.parse(List.of("primary"));

        assertThat(answering(NodePortAddresses.ALL))
                .containsExactlyInAnyOrder(IpFamily.IPV4, IpFamily.IPV6);
        assertThat(answering(primary)).containsExactlyInAnyOrder(IpFamily.IPV4, IpFamily.IPV6);
        assertThat(answering(lan)).as("no block of IPv6").containsExactly(IpFamily.IPV6);
        assertThat(answering(loopback)).containsExactly(IpFamily.IPV4);
    }

    private static Set<IpFamily> answering(NodePortAddresses addresses) {
        Set<IpFamily> out = EnumSet.noneOf(IpFamily.class);
        for (IpFamily family : IpFamily.values()) {
            if (LocalhostNodePorts.answersOn(addresses, family)) {
                out.add(family);
            }
        }
        return out;
    }
}
