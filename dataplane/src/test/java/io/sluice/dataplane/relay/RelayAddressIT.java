package io.sluice.dataplane.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.AddressType;
import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointPort;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.LoadBalancerIngress;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;
import io.sluice.kernel.RouteNetlink;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;

/**
 * Cluster IPs, external IPs and VIPs on the real kernel, out of the documentation block 198.51.100.0/24 (RFC 5737). The whole block is
 * unreachable but for what is local, so nothing leaves this machine. Needs root.
 */
class RelayAddressIT {
    private static final IpAddress CLUSTER_IP = IpAddress.of("198.51.100.65");
    private static final IpAddress EXTERNAL_IP = IpAddress.of("198.51.100.82");
    private static final IpAddress VIP = IpAddress.of("198.51.100.83");
    /** Not an address of the node, as far as the proxy knows. */
    private static final IpAddress OUTSIDE = IpAddress.of("198.51.100.99");

    private static final IpAddress LOOPBACK = IpAddress.of("127.0.0.1");
    private static final NodeView NODE = new NodeView("node-1", "", List.of(LOOPBACK));
    private static final int PORT = 18_080;

    private final ServiceTracker tracker = new ServiceTracker(NODE);
    private UserspaceApplier applier;
    private EchoServer server;

    @BeforeEach
    void start() throws Exception {
        ip("route", "replace", "unreachable", "198.51.100.0/24");
        RouteNetlink.addLocal(new Cidr(OUTSIDE, 32));
        server = new EchoServer("a");
        applier = new UserspaceApplier(
                new RelayConfig(
                        1, List.of(Cidr.of("198.51.100.64/28")), List.of(), NodePortAddresses.ALL),
                NODE,
                System::nanoTime);
        applier.onNode(NODE, List.of(LOOPBACK));
    }

    @AfterEach
    void stop() throws Exception {
        applier.close();
        server.close();
        RouteNetlink.deleteLocal(new Cidr(OUTSIDE, 32));
        ip("route", "del", "unreachable", "198.51.100.0/24");
    }

    private static void ip(String... words) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).as("%s", command).isZero();
    }

    private void service(boolean externalLocal, boolean internalLocal, List<Cidr> ranges) {
        tracker.onService(new Service(
                new NamespacedName("default", "web"),
                "uid",
                ServiceType.LOAD_BALANCER,
                false,
                List.of(IpFamily.IPV4),
                List.of(CLUSTER_IP),
                List.of(new ServicePort("", Protocol.TCP, PORT, 0)),
                List.of(EXTERNAL_IP),
                List.of(new LoadBalancerIngress(VIP, false)),
                ranges,
                externalLocal,
                internalLocal,
                0,
                0,
                "",
                false));
    }

    private void endpointOn(String node, boolean ready) {
        tracker.onSlice(new EndpointSlice(
                new NamespacedName("default", "web-1"),
                "web",
                false,
                AddressType.IPV4,
                List.of(new Endpoint(
                        LOOPBACK, ready, ready, false, node, "", List.of(), List.of(), "")),
                List.of(new EndpointPort("", Protocol.TCP, server.port())),
                0));
    }

    private void apply() {
        ServiceTracker.CheckOut checkOut = tracker.checkOut();
        assertThat(applier.apply(checkOut.image(), checkOut.delta())).isEmpty();
    }

    private static String ask(IpAddress from, IpAddress to) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(from.toInetAddress(), 0));
            socket.connect(new InetSocketAddress(to.toInetAddress(), PORT), 700);
            socket.setSoTimeout(5_000);
            return String.valueOf((char) socket.getInputStream().read());
        }
    }

    /** As a process of the node does, which binds nothing: its packets have the Service address itself as their source. */
    private static String askFromNode(IpAddress to) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(to.toInetAddress(), PORT), 700);
            assertThat(IpAddress.of(socket.getLocalAddress().getAddress())).isEqualTo(to);
            socket.setSoTimeout(5_000);
            return String.valueOf((char) socket.getInputStream().read());
        }
    }

    private static void assertSilent(IpAddress from, IpAddress to) {
        assertThatThrownBy(() -> ask(from, to)).isInstanceOf(SocketTimeoutException.class);
    }

    private static void assertRefused(IpAddress from, IpAddress to) {
        assertThatThrownBy(() -> ask(from, to))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("refused");
    }

    @Test
    void allAddressesLeadToTheEndpoint() throws Exception {
        service(false, false, List.of());
        endpointOn("node-1", true);
        apply();
        for (IpAddress to : List.of(CLUSTER_IP, EXTERNAL_IP, VIP)) {
            assertThat(ask(LOOPBACK, to)).isEqualTo("a");
            assertThat(ask(OUTSIDE, to)).isEqualTo("a");
        }
    }

    /** kubernetes/kubernetes 106182: endpoints that are all not ready must refuse, not hang. */
    @Test
    void withoutReadyEndpointAllAddressesRefuse() throws Exception {
        service(false, false, List.of());
        endpointOn("node-1", false);
        apply();
        for (IpAddress to : List.of(CLUSTER_IP, EXTERNAL_IP, VIP)) {
            assertRefused(OUTSIDE, to);
        }
    }

    @Test
    void sourceRangesGuardTheVipAlone() throws Exception {
        service(false, false, List.of(Cidr.of("127.0.0.0/8")));
        endpointOn("node-1", true);
        apply();
        assertThat(ask(LOOPBACK, VIP)).isEqualTo("a");
        assertSilent(OUTSIDE, VIP);
        assertThat(ask(OUTSIDE, EXTERNAL_IP)).isEqualTo("a");
        assertThat(ask(OUTSIDE, CLUSTER_IP)).isEqualTo("a");

        service(false, false, List.of(Cidr.of("198.51.100.96/29")));
        apply();
        assertThat(ask(OUTSIDE, VIP)).isEqualTo("a");
        assertSilent(LOOPBACK, VIP);
    }

    /** kubernetes/kubernetes 131765: a Local policy without local endpoint drops clients off the node, and serves the node. */
    @Test
    void localPolicyDropsOutsideAndServesTheNode() throws Exception {
        service(true, false, List.of());
        endpointOn("node-2", true);
        apply();
        assertThat(ask(LOOPBACK, VIP)).isEqualTo("a");
        assertSilent(OUTSIDE, VIP);
        assertSilent(OUTSIDE, EXTERNAL_IP);
        assertThat(ask(OUTSIDE, CLUSTER_IP)).isEqualTo("a");

        endpointOn("node-1", true);
        apply();
        assertThat(ask(OUTSIDE, VIP)).isEqualTo("a");
    }

    /** kubernetes/kubernetes 131765 and 119656: processes of the node are the node, whatever the kernel takes as their source. */
    @Test
    void processesOfTheNodeCountAsTheNode() throws Exception {
        service(true, false, List.of());
        endpointOn("node-2", true);
        apply();
        assertThat(askFromNode(VIP)).isEqualTo("a");
        assertThat(askFromNode(EXTERNAL_IP)).isEqualTo("a");

        service(true, false, List.of(Cidr.of("127.0.0.0/8")));
        apply();
        assertThat(askFromNode(VIP)).isEqualTo("a");

        service(false, false, List.of(Cidr.of("198.51.100.96/29")));
        apply();
        assertThatThrownBy(() -> askFromNode(VIP)).isInstanceOf(SocketTimeoutException.class);
        assertThat(askFromNode(EXTERNAL_IP)).isEqualTo("a");
    }

    /** An address that an interface had and lost is still the Service's. */
    @Test
    void anAddressThatLeavesTheNodeStaysReachable() throws Exception {
        applier.onNode(NODE, List.of(LOOPBACK, VIP));
        service(false, false, List.of());
        endpointOn("node-1", true);
        RouteNetlink.addLocal(new Cidr(VIP, 32)); // what an interface would bring with it
        apply();
        assertThat(ask(OUTSIDE, VIP)).isEqualTo("a");
        RouteNetlink.deleteLocal(new Cidr(VIP, 32));
        assertThat(applier.onNode(NODE, List.of(LOOPBACK))).isEmpty();
        assertThat(ask(OUTSIDE, VIP)).isEqualTo("a");
    }

    @Test
    void internalLocalPolicyDropsEverybodyWithoutLocalEndpoint() throws Exception {
        service(false, true, List.of());
        endpointOn("node-2", true);
        apply();
        assertSilent(LOOPBACK, CLUSTER_IP);
        assertSilent(OUTSIDE, CLUSTER_IP);
        assertThat(ask(OUTSIDE, EXTERNAL_IP)).isEqualTo("a");
    }

    @Test
    void addressesGoWithTheService() throws Exception {
        service(false, false, List.of());
        endpointOn("node-1", true);
        apply();
        tracker.onServiceDeleted(new NamespacedName("default", "web"));
        apply();
        assertRefused(LOOPBACK, CLUSTER_IP);
        // The routes of single addresses are gone as well.
        assertThatThrownBy(() -> ask(OUTSIDE, VIP)).isInstanceOf(NoRouteToHostException.class);
    }
}
