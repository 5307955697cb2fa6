package io.sluice.dataplane.relay;

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
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServicePortName;
import io.sluice.endpoints.ServiceTracker;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** One Service behind one node port on loopback, fed through the real tracker. */
final class RelayLab implements AutoCloseable {
    static final IpAddress LOOPBACK = IpAddress.of("127.0.0.1");
    private static final NodeView NODE = new NodeView("node-1", "", List.of(LOOPBACK));
    private static final NamespacedName NAME = new NamespacedName("default", "web");

    final UserspaceApplier applier;
    final int nodePort;
    private final ServiceTracker tracker = new ServiceTracker(NODE);
    private final Protocol protocol;
    private final int affinitySeconds;

    /** An endpoint of the Service. */
    record Member(int port, boolean ready, boolean serving) {
        static Member ready(int port) {
            return new Member(port, true, true);
        }
    }

    RelayLab(Protocol protocol, int affinitySeconds) throws IOException {
        this(protocol, affinitySeconds, NodePortAddresses.parse(List.of("127.0.0.0/8")));
    }

    /** @param nodePortAddresses where the node port answers */
    RelayLab(Protocol protocol, int affinitySeconds, NodePortAddresses nodePortAddresses)
            throws IOException {
        this.protocol = protocol;
        this.affinitySeconds = affinitySeconds;
        this.nodePort = freePort(protocol);
        RelayConfig config = new RelayConfig(2, List.of(), List.of(), nodePortAddresses);
        applier = new UserspaceApplier(config, NODE, System::nanoTime);
        applier.onNode(NODE, List.of(LOOPBACK));
        tracker.onService(service());
    }

    static int freePort(Protocol protocol) throws IOException {
        if (protocol == Protocol.UDP) {
            try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            }
        }
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Service service() throws IOException {
        return new Service(
                NAME,
                "uid",
                ServiceType.NODE_PORT,
                false,
                List.of(IpFamily.IPV4),
                List.of(LOOPBACK),
                List.of(new ServicePort("", protocol, freePort(protocol), nodePort)),
                List.of(),
                List.of(),
                List.of(),
                false,
                false,
                0,
                affinitySeconds,
                "",
                false);
    }

    /** Replaces all endpoints; when this returns the change is in force. @return problems */
    List<String> endpoints(Member... members) {
        List<EndpointSlice> slices = new ArrayList<>();
        // One slice per port, since a slice's ports hold for all its endpoints.
        for (Member member : members) {
            Endpoint endpoint = new Endpoint(
                    LOOPBACK,
                    member.ready(),
                    member.serving(),
                    false,
                    "node-1",
                    "",
                    List.of(),
                    List.of(),
                    "");
            slices.add(new EndpointSlice(
                    new NamespacedName("default", "web-" + member.port()),
                    "web",
                    false,
                    AddressType.IPV4,
                    List.of(endpoint),
                    List.of(new EndpointPort("", protocol, member.port())),
                    0));
        }
        known.removeIf(slice -> {
            boolean gone = slices.stream().noneMatch(kept -> kept.name().equals(slice));
            if (gone) {
                tracker.onSliceDeleted(slice);
            }
            return gone;
        });
        slices.forEach(slice -> {
            tracker.onSlice(slice);
            known.add(slice.name());
        });
        ServiceTracker.CheckOut checkOut = tracker.checkOut();
        return applier.apply(checkOut.image(), checkOut.delta());
    }

    /** The node's interfaces have these addresses now. @return problems */
    List<String> interfaces(IpAddress... addresses) {
        return applier.onNode(NODE, List.of(addresses));
    }

    private final List<NamespacedName> known = new ArrayList<>();

    ServiceCounters counters() {
        return applier.counters().get(new ServicePortName(NAME, "", protocol, IpFamily.IPV4));
    }

    @Override
    public void close() {
        applier.close();
    }
}
