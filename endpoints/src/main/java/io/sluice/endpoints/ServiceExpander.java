package io.sluice.endpoints;

import io.sluice.api.model.LoadBalancerIngress;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Which Service ports a Service has on a node, endpoints left open. Pure. */
final class ServiceExpander {
    private ServiceExpander() {}

    /**
     * One image per port and family. Nothing for headless Services, ExternalNames (also with a stale cluster IP) and Services that
     * another proxy serves.
     */
    static List<ServicePortImage> expand(Service service) {
        boolean ours = !service.headless()
                && service.type() != ServiceType.EXTERNAL_NAME
                && !service.proxyNamed();
        if (!ours) {
            return List.of();
        }
        List<ServicePortImage> out = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            clusterIp(service, family).ifPresent(clusterIp -> {
                for (ServicePort port : service.ports()) {
                    out.add(image(service, port, family, clusterIp));
                }
            });
        }
        return out;
    }

    /** {@code clusterIPs} at the family's place in {@code ipFamilies}; by the address itself where families are not given. */
    static Optional<IpAddress> clusterIp(Service service, IpFamily family) {
        if (!service.ipFamilies().isEmpty() && !service.ipFamilies().contains(family)) {
            return Optional.empty();
        }
        return service.clusterIps().stream()
                .filter(address -> address.family() == family)
                .findFirst();
    }

    private static ServicePortImage image(
            Service service, ServicePort port, IpFamily family, IpAddress clusterIp) {
        boolean loadBalancer = service.type() == ServiceType.LOAD_BALANCER;
        boolean external = loadBalancer
                || service.type() == ServiceType.NODE_PORT
                || !service.externalIps().isEmpty();
        boolean externalLocal = service.externalLocal() && external;
        List<Cidr> ranges = service.sourceRanges().stream()
                .filter(range -> range.family() == family)
                .toList();
        return new ServicePortImage(
                new ServicePortName(service.name(), port.name(), port.protocol(), family),
                clusterIp,
                port.port(),
                port.nodePort(),
                ofFamily(service.externalIps(), family, clusterIp),
                vips(service, family),
                ranges,
                restricted(service, ranges),
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
    private static boolean restricted(Service service, List<Cidr> ofFamily) {
        return !service.sourceRanges().isEmpty()
                && ofFamily.stream().noneMatch(range -> range.prefix() == 0);
    }

    private static List<IpAddress> ofFamily(
            List<IpAddress> addresses, IpFamily family, IpAddress clusterIp) {
        return addresses.stream()
                .filter(address -> address.family() == family && !address.equals(clusterIp))
                .distinct()
                .toList();
    }

    private static List<IpAddress> vips(Service service, IpFamily family) {
        if (service.type() != ServiceType.LOAD_BALANCER) {
            return List.of();
        }
        return service.ingress().stream()
                .filter(ingress -> !ingress.proxyMode() && ingress.ip().family() == family)
                .map(LoadBalancerIngress::ip)
                .filter(ip -> !service.externalIps().contains(ip))
                .distinct()
                .toList();
    }
}
