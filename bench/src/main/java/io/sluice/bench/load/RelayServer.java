package io.sluice.bench.load;

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
import io.sluice.dataplane.relay.RelayConfig;
import io.sluice.dataplane.relay.UserspaceApplier;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The relay as a process of its own, fed through the tracker like in a proxy: node ports on 127.0.0.1, each with one endpoint.
 * Arguments: loops, then pairs of node port and endpoint port.
 */
public final class RelayServer {
    private static final IpAddress LOOPBACK = IpAddress.of("127.0.0.1");

    private RelayServer() {}

    public static void main(String[] args) throws Exception {
        NodeView node = new NodeView("bench", "", List.of(LOOPBACK));
        ServiceTracker tracker = new ServiceTracker(node);
        for (int i = 1; i + 1 < args.length; i += 2) {
            add(tracker, "service-" + i, Integer.parseInt(args[i]), Integer.parseInt(args[i + 1]));
        }
        RelayConfig config = new RelayConfig(
                Integer.parseInt(args[0]),
                List.of(),
                List.of(),
                NodePortAddresses.parse(List.of("127.0.0.0/8")));
        UserspaceApplier applier = new UserspaceApplier(config, node, System::nanoTime);
        applier.onNode(node, List.of(LOOPBACK));
        ServiceTracker.CheckOut checkOut = tracker.checkOut();
        List<String> problems = applier.apply(checkOut.image(), checkOut.delta());
        if (!problems.isEmpty()) {
            System.err.println(problems);
            System.exit(1);
        }
        new CountDownLatch(1).await();
    }

    private static void add(ServiceTracker tracker, String name, int nodePort, int endpointPort) {
        tracker.onService(new Service(
                new NamespacedName("bench", name),
                name,
                ServiceType.NODE_PORT,
                false,
                List.of(IpFamily.IPV4),
                List.of(LOOPBACK),
                List.of(new ServicePort("", Protocol.TCP, nodePort + 1000, nodePort)),
                List.of(),
                List.of(),
                List.of(),
                false,
                false,
                0,
                0,
                "",
                false));
        tracker.onSlice(new EndpointSlice(
                new NamespacedName("bench", name + "-1"),
                name,
                false,
                AddressType.IPV4,
                List.of(new Endpoint(
                        LOOPBACK, true, true, false, "bench", "", List.of(), List.of(), "")),
                List.of(new EndpointPort("", Protocol.TCP, endpointPort)),
                0));
    }
}
