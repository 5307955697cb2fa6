package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpAddress;

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

    /** @param port where the server listens @param localReady distinct ready addresses over all ports of the Service */
    public record HealthCheck(int port, int localReady) {}

    /** @param image Service ports; those without a health-check port are passed over */
    public static Map<NamespacedName, HealthCheck> of(Collection<ServicePortImage> image) {
        Map<NamespacedName, Integer> ports = new HashMap<>();
        Map<NamespacedName, Set<IpAddress>> addresses = new HashMap<>();
        for (ServicePortImage port : image) {
            if (port.healthCheckNodePort() != 0) {
                NamespacedName service = port.name().service();
                ports.put(service, port.healthCheckNodePort());
                addresses
                        .computeIfAbsent(service, key -> new HashSet<>())
                        .addAll(port.endpoints().localReady());
            }
        }
        Map<NamespacedName, HealthCheck> out = new HashMap<>();
        ports.forEach((service, port) ->
                out.put(service, new HealthCheck(port, addresses.get(service).size())));
        return out;
    }
}
