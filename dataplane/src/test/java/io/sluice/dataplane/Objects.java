package io.sluice.dataplane;

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

import java.util.Arrays;
import java.util.List;

/** Services and slices for tests: Service {@code default/s<number>} at 10.0.x.y, port 80. */
public final class Objects {
    public static final String NODE = "node-1";

    private Objects() {}

    public static NamespacedName name(int number) {
        return new NamespacedName("default", "s" + number);
    }

    /** Of type ClusterIP. */
    public static Service service(int number) {
        return service(number, ServiceType.CLUSTER_IP, 0, false, 0);
    }

    public static Service service(
            int number,
            ServiceType type,
            int nodePort,
            boolean externalLocal,
            int healthCheckNodePort) {
        return new Service(
                name(number),
                "uid-" + number,
                type,
                false,
                List.of(IpFamily.IPV4),
                List.of(IpAddress.of("10.0." + number / 250 + '.' + (number % 250 + 1))),
                List.of(new ServicePort("", Protocol.TCP, 80, nodePort)),
                List.of(),
                List.of(),
                List.of(),
                externalLocal,
                false,
                healthCheckNodePort,
                0,
                "",
                false);
    }

    /** One slice of the Service, with ready endpoints on this node. */
    public static EndpointSlice slice(int number, long triggerTime, String... addresses) {
        List<Endpoint> endpoints = Arrays.stream(addresses)
                .map(address -> endpoint(address, true, NODE))
                .toList();
        return slice(number, triggerTime, endpoints, 8080);
    }

    public static EndpointSlice slice(
            int number, long triggerTime, List<Endpoint> endpoints, int port) {
        return new EndpointSlice(
                new NamespacedName("default", "s" + number + "-a"),
                "s" + number,
                false,
                AddressType.IPV4,
                endpoints,
                List.of(new EndpointPort("", Protocol.TCP, port)),
                triggerTime);
    }

    public static Endpoint endpoint(String address, boolean ready, String node) {
        return new Endpoint(
                IpAddress.of(address), ready, ready, false, node, "", List.of(), List.of(), "");
    }
}
