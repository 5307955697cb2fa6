package io.sluice.endpoints;

import io.sluice.api.model.LoadBalancerIngress;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which Service ports a Service has on a node, endpoints left open. Pure. */
final class ServiceExpander {
    private ServiceExpander() {}

    /**
     * One image per port and family. Nothing for headless Services, ExternalNames (also with a stale cluster IP) and Services that
     * another proxy serves. Of two ports with one name and protocol, which the API refuses, the later counts.
     */
    static List<ServicePortImage> expand(Service service, NodeView node) {
        boolean ours = !service.headless()
                && service.type() != ServiceType.EXTERNAL_NAME
                && !service.proxyNamed();
        if (!ours) {
            return List.of();
        }
        Map<ServicePortName, ServicePortImage> out = new LinkedHashMap<>();
        for (IpFamily family : IpFamily.values()) {
            clusterIp(service, family).ifPresent(clusterIp -> {
                for (ServicePort port : service.ports()) {
                    ServicePortImage image = image(service, port, family, clusterIp, node);
                    out.put(image.name(), image);
                }
            });
        }
        return List.copyOf(out.values());
    }

    /** Families in which the Service has a cluster IP. */
    static Set<IpFamily> families(Service service) {
        Set<IpFamily> out = EnumSet.noneOf(IpFamily.class);
        for (IpFamily family : IpFamily.values()) {
            clusterIp(service, family).ifPresent(address -> out.add(family));
        }
        return out;
    }

    /** {@code clusterIPs} at the family's place in {@code ipFamilies}; by the address itself where families are not given. */
    private static Optional<IpAddress> clusterIp(Service service, IpFamily family) {
        if (!service.ipFamilies().isEmpty() && !service.ipFamilies().contains(family)) {
            return Optional.empty();
        }
        return service.clusterIps().stream()
                .filter(address -> address.family() == family)
                .findFirst();
    }

    private static ServicePortImage image(
            Service service,
            ServicePort port,
            IpFamily family,
            IpAddress clusterIp,
            NodeView node) {
        boolean loadBalancer = service.type() == ServiceType.LOAD_BALANCER;
        boolean external = loadBalancer
                || service.type() == ServiceType.NODE_PORT
                || !service.externalIps().isEmpty();
        boolean externalLocal = service.externalLocal() && external;
        List<IpAddress> vips = vips(service, clusterIp);
        List<IpAddress> externalIps = service.externalIps().stream()
                .filter(ip -> ip.family() == family && !ip.equals(clusterIp))
                .filter(ip -> !vips.contains(ip))
                .distinct()
                .toList();
        return new ServicePortImage(
                new ServicePortName(service.name(), port.name(), port.protocol(), family),
                clusterIp,
                port.port(),
                port.nodePort(),
                externalIps,
                vips,
                sourceRanges(service, family, vips, node),
                restricted(service, family),
                service.internalLocal(),
                externalLocal,
                loadBalancer && externalLocal ? service.healthCheckNodePort() : 0,
                service.affinitySeconds(),
                EndpointChoice.NONE);
    }

    /**
     * Whether source ranges apply. A block of length 0 lifts them. Where only the other family is listed, nobody of this family may
     * use the VIP: kube-proxy lets everybody in then, which is the opposite of what the list asks for.
     */
    private static boolean restricted(Service service, IpFamily family) {
        return !service.sourceRanges().isEmpty()
                && service.sourceRanges().stream()
                        .noneMatch(range -> range.family() == family && range.prefix() == 0);
    }

    /**
     * Where a range admits the node, the VIPs themselves are sources too: they are local addresses of the node, and the kernel takes
     * the destination as the source of what it sends to itself.
     */
    private static List<Cidr> sourceRanges(
            Service service, IpFamily family, List<IpAddress> vips, NodeView node) {
        List<Cidr> out = new ArrayList<>();
        for (Cidr range : service.sourceRanges()) {
            if (range.family() == family && !out.contains(range)) {
                out.add(range);
            }
        }
        boolean admitsNode = node.primary(family).stream()
                .anyMatch(address -> out.stream().anyMatch(range -> range.contains(address)));
        if (admitsNode) {
            for (IpAddress vip : vips) {
                Cidr self = new Cidr(vip, family.bits());
                if (!out.contains(self)) {
                    out.add(self);
                }
            }
        }
        return List.copyOf(out);
    }

    /** An external IP that is also a VIP is a VIP: source ranges protect it. */
    private static List<IpAddress> vips(Service service, IpAddress clusterIp) {
        if (service.type() != ServiceType.LOAD_BALANCER) {
            return List.of();
        }
        return service.ingress().stream()
                .filter(ingress -> !ingress.proxyMode())
                .map(LoadBalancerIngress::ip)
                .filter(ip -> ip.family() == clusterIp.family() && !ip.equals(clusterIp))
                .distinct()
                .toList();
    }
}
