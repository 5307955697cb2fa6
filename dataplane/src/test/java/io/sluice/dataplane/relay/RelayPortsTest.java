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
import io.sluice.dataplane.relay.RelayLab.Member;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/** On which addresses and ports clients find a Service, and what happens where somebody else is there. */
class RelayPortsTest {
    private static final IpAddress ONE = IpAddress.of("127.0.0.1");
    private static final IpAddress TWO = IpAddress.of("127.0.0.2");
    private static final NodeView NODE = new NodeView("node-1", "", List.of(ONE));

    private static char ask(IpAddress address, int port) throws IOException {
        try (Socket socket = new Socket(address.toInetAddress(), port)) {
            socket.setSoTimeout(10_000);
            return (char) socket.getInputStream().read();
        }
    }

    @Test
    void aTakenPortIsNamedAndServedOnceItIsFree() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a")) {
            try (ServerSocket holder =
                    new ServerSocket(lab.nodePort, 1, InetAddress.getLoopbackAddress())) {
                assertThat(lab.endpoints(Member.ready(a.port())))
                        .singleElement()
                        .asString()
                        .contains("default/web", "127.0.0.1:" + lab.nodePort, "EADDRINUSE");
                assertThat(holder.isBound()).isTrue();
            }
            assertThat(lab.endpoints(Member.ready(a.port()))).isEmpty();
            assertThat(ask(ONE, lab.nodePort)).isEqualTo('a');
        }
    }

    @Test
    void nodePortsFollowTheNodesAddresses() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a")) {
            lab.endpoints(Member.ready(a.port()));
            assertThatThrownBy(() -> ask(TWO, lab.nodePort)).isInstanceOf(ConnectException.class);
            assertThat(lab.interfaces(ONE, TWO)).isEmpty();
            assertThat(ask(ONE, lab.nodePort)).isEqualTo('a');
            assertThat(ask(TWO, lab.nodePort)).isEqualTo('a');
            assertThat(lab.interfaces(TWO)).isEmpty();
            assertThat(ask(TWO, lab.nodePort)).isEqualTo('a');
            assertThatThrownBy(() -> ask(ONE, lab.nodePort)).isInstanceOf(ConnectException.class);
        }
    }

    private static Service service(String name, IpAddress clusterIp, int port, int nodePort) {
        return new Service(
                new NamespacedName("default", name),
                name,
                ServiceType.NODE_PORT,
                false,
                List.of(IpFamily.IPV4),
                List.of(clusterIp),
                List.of(new ServicePort("", Protocol.TCP, port, nodePort)),
                List.of(),
                List.of(),
                List.of(),
                false,
                false,
                0,
                0,
                "",
                false);
    }

    private static EndpointSlice slice(String service, int port) {
        return new EndpointSlice(
                new NamespacedName("default", service + "-1"),
                service,
                false,
                AddressType.IPV4,
                List.of(new Endpoint(
                        ONE, true, true, false, "node-1", "", List.of(), List.of(), "")),
                List.of(new EndpointPort("", Protocol.TCP, port)),
                0);
    }

    /** kubernetes/kubernetes 132068: one Service's node port is another's port at its cluster IP; each keeps its own. */
    @Test
    void aNodePortMayBeAnotherServicesPort() throws Exception {
        int common = RelayLab.freePort(Protocol.TCP);
        RelayConfig config = new RelayConfig(1, List.of(), List.of(), NodePortAddresses.ALL);
        ServiceTracker tracker = new ServiceTracker(NODE);
        try (EchoServer a = new EchoServer("a");
                EchoServer b = new EchoServer("b");
                UserspaceApplier applier = new UserspaceApplier(config, NODE, System::nanoTime)) {
            applier.onNode(NODE, List.of(ONE));
            tracker.onService(service("by-cluster-ip", TWO, common, 0));
            tracker.onService(
                    service("by-node-port", ONE, RelayLab.freePort(Protocol.TCP), common));
            tracker.onSlice(slice("by-cluster-ip", a.port()));
            tracker.onSlice(slice("by-node-port", b.port()));
            ServiceTracker.CheckOut checkOut = tracker.checkOut();
            assertThat(applier.apply(checkOut.image(), checkOut.delta())).isEmpty();
            for (int i = 0; i < 20; i++) {
                assertThat(ask(TWO, common)).isEqualTo('a');
                assertThat(ask(ONE, common)).isEqualTo('b');
            }
        }
    }
}
