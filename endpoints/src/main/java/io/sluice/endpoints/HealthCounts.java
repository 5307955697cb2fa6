package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * For each Service that wants a health-check server: how many addresses on this node are ready. Endpoints that are terminating do not
 * count, also where they stand in for ready ones, so that load balancers turn away while the proxy still serves stragglers. Pure.
 */
public final class HealthCounts {
    private HealthCounts() {}

    /**
     * @param port where the server listens
     * @param localReady distinct ready addresses over all ports of the Service; of a dual-stack Service the larger number of the two
     *     families, since both count the same Pods
     */
    public record HealthCheck(int port, int localReady) {}

    private record Group(NamespacedName service, IpFamily family) {}

    /** @param image Service ports; those without a health-check port are passed over */
    public static Map<NamespacedName, HealthCheck> of(Collection<ServicePortImage> image) {
        Map<NamespacedName, HealthCheck> out = new HashMap<>();
        Map<Group, Set<IpAddress>> addresses = new HashMap<>();
        for (ServicePortImage port : image) {
            if (port.healthCheckNodePort() != 0) {
                NamespacedName service = port.name().service();
                Set<IpAddress> ready = addresses.computeIfAbsent(
                        new Group(service, port.name().family()), key -> new HashSet<>());
                ready.addAll(port.endpoints().localReady());
                out.merge(
                        service,
                        new HealthCheck(port.healthCheckNodePort(), ready.size()),
                        (a, b) -> new HealthCheck(
                                b.port(), Math.max(a.localReady(), b.localReady())));
            }
        }
        return out;
    }
}
