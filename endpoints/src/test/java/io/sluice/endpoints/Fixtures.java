package io.sluice.endpoints;

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

import java.util.List;

/**
 * Objects for tests. Address plan: cluster IPs 10.96.0.x, pods 10.244.NODE.x, node-1 is 10.0.0.1, external IPs 203.0.113.x, VIPs
 * 198.51.100.x.
 */
final class Fixtures {
    static final NodeView NODE =
            new NodeView("node-1", "zone-a", List.of(IpAddress.of("10.0.0.1")));
    static final ServicePortName WEB = name("web");

    private Fixtures() {}

    static ServicePortName name(String service) {
        return new ServicePortName(
                new NamespacedName("default", service), "http", Protocol.TCP, IpFamily.IPV4);
    }

    /** A Service under construction; every method returns a changed copy. */
    record Draft(
            String name,
            ServiceType type,
            boolean headless,
            String clusterIp,
            int nodePort,
            List<String> externalIps,
            List<LoadBalancerIngress> ingress,
            List<String> ranges,
            boolean externalLocal,
            boolean internalLocal,
            int healthPort,
            int affinity,
            boolean proxyNamed) {

        Draft type(ServiceType value) {
            return new Draft(
                    name,
                    value,
                    headless,
                    clusterIp,
                    nodePort,
                    externalIps,
                    ingress,
                    ranges,
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft headless(boolean value) {
            return new Draft(
                    name,
                    type,
                    value,
                    clusterIp,
                    nodePort,
                    externalIps,
                    ingress,
                    ranges,
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft nodePort(int value) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    value,
                    externalIps,
                    ingress,
                    ranges,
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft externalIps(String... value) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    nodePort,
                    List.of(value),
                    ingress,
                    ranges,
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft vip(String ip, boolean proxyMode) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    nodePort,
                    externalIps,
                    List.of(new LoadBalancerIngress(IpAddress.of(ip), proxyMode)),
                    ranges,
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft ranges(String... value) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    nodePort,
                    externalIps,
                    ingress,
                    List.of(value),
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft externalLocal(boolean value) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    nodePort,
                    externalIps,
                    ingress,
                    ranges,
                    value,
                    internalLocal,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft internalLocal(boolean value) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    nodePort,
                    externalIps,
                    ingress,
                    ranges,
                    externalLocal,
                    value,
                    healthPort,
                    affinity,
                    proxyNamed);
        }

        Draft healthPort(int value) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    nodePort,
                    externalIps,
                    ingress,
                    ranges,
                    externalLocal,
                    internalLocal,
                    value,
                    affinity,
                    proxyNamed);
        }

        Draft proxyNamed(boolean value) {
            return new Draft(
                    name,
                    type,
                    headless,
                    clusterIp,
                    nodePort,
                    externalIps,
                    ingress,
                    ranges,
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    value);
        }

        Service build() {
            return new Service(
                    new NamespacedName("default", name),
                    "uid-" + name,
                    type,
                    headless,
                    List.of(IpFamily.IPV4),
                    List.of(IpAddress.of(clusterIp)),
                    List.of(new ServicePort("http", Protocol.TCP, 80, nodePort)),
                    externalIps.stream().map(IpAddress::of).toList(),
                    ingress,
                    ranges.stream().map(Cidr::of).toList(),
                    externalLocal,
                    internalLocal,
                    healthPort,
                    affinity,
                    "",
                    proxyNamed);
        }
    }

    static Draft service(String name, String clusterIp) {
        return new Draft(
                name,
                ServiceType.CLUSTER_IP,
                false,
                clusterIp,
                0,
                List.of(),
                List.of(),
                List.of(),
                false,
                false,
                0,
                0,
                false);
    }

    static Endpoint endpoint(
            String ip, String node, boolean ready, boolean serving, boolean terminating) {
        return new Endpoint(
                IpAddress.of(ip),
                ready,
                serving,
                terminating,
                node,
                "",
                List.of(),
                List.of(),
                "pod-" + ip);
    }

    static Endpoint ready(String ip, String node) {
        return endpoint(ip, node, true, true, false);
    }

    static Endpoint zoned(String ip, String node, List<String> zones, List<String> nodes) {
        return new Endpoint(IpAddress.of(ip), true, true, false, node, "", zones, nodes, "");
    }

    static EndpointSlice slice(String name, String service, Endpoint... endpoints) {
        return new EndpointSlice(
                new NamespacedName("default", name),
                service,
                false,
                AddressType.IPV4,
                List.of(endpoints),
                List.of(new EndpointPort("http", Protocol.TCP, 8080)),
                0);
    }

    /** The image of one port after everything given. */
    static ServicePortImage image(Service service, EndpointSlice... slices) {
        ServiceTracker tracker = new ServiceTracker(NODE);
        tracker.onService(service);
        for (EndpointSlice slice : slices) {
            tracker.onSlice(slice);
        }
        return tracker.checkOut().image().ports().iterator().next();
    }

    static List<String> texts(List<Backend> backends) {
        return backends.stream().map(Backend::text).toList();
    }
}
