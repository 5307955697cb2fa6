package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.LoadBalancerIngress;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Builds a Service, field by field; what is not said is as in a plain ClusterIP Service {@code shop/web}. */
final class AService {
    private NamespacedName name = new NamespacedName("shop", "web");
    private String uid = "uid-1";
    private ServiceType type = ServiceType.CLUSTER_IP;
    private boolean headless;
    private List<IpFamily> families = List.of();
    private List<IpAddress> clusterIps = List.of(IpAddress.of("10.96.0.10"));
    private final List<ServicePort> ports = new ArrayList<>();
    private List<IpAddress> externalIps = List.of();
    private final List<LoadBalancerIngress> ingress = new ArrayList<>();
    private List<Cidr> sourceRanges = List.of();
    private boolean externalLocal;
    private boolean internalLocal;
    private int healthCheckNodePort;
    private int affinitySeconds;
    private boolean proxyNamed;

    static AService web() {
        return new AService();
    }

    static AService named(String name) {
        AService out = new AService();
        out.name = new NamespacedName("shop", name);
        return out;
    }

    AService uid(String value) {
        uid = value;
        return this;
    }

    AService type(ServiceType value) {
        type = value;
        return this;
    }

    AService headless() {
        headless = true;
        clusterIps = List.of();
        return this;
    }

    AService families(IpFamily... values) {
        families = List.of(values);
        return this;
    }

    AService clusterIps(String... values) {
        clusterIps = addresses(values);
        return this;
    }

    AService port(String portName, Protocol protocol, int port, int nodePort) {
        ports.add(new ServicePort(portName, protocol, port, nodePort));
        return this;
    }

    /** The usual port: {@code http}, TCP 80. */
    AService http() {
        return port("http", Protocol.TCP, 80, 0);
    }

    AService nodePort(int nodePort) {
        type = type == ServiceType.CLUSTER_IP ? ServiceType.NODE_PORT : type;
        return port("http", Protocol.TCP, 80, nodePort);
    }

    AService externalIps(String... values) {
        externalIps = addresses(values);
        return this;
    }

    /** A load balancer with these VIPs. */
    AService vips(String... values) {
        type = ServiceType.LOAD_BALANCER;
        addresses(values).forEach(ip -> ingress.add(new LoadBalancerIngress(ip, false)));
        return this;
    }

    /** A VIP with {@code ipMode: Proxy}. */
    AService proxyVip(String value) {
        type = ServiceType.LOAD_BALANCER;
        ingress.add(new LoadBalancerIngress(IpAddress.of(value), true));
        return this;
    }

    AService sourceRanges(String... values) {
        sourceRanges = Stream.of(values).map(Cidr::of).toList();
        return this;
    }

    AService externalLocal() {
        externalLocal = true;
        return this;
    }

    AService internalLocal() {
        internalLocal = true;
        return this;
    }

    AService healthCheckNodePort(int value) {
        healthCheckNodePort = value;
        return this;
    }

    AService affinity(int seconds) {
        affinitySeconds = seconds;
        return this;
    }

    AService otherProxy() {
        proxyNamed = true;
        return this;
    }

    Service build() {
        return new Service(
                name,
                uid,
                type,
                headless,
                families,
                clusterIps,
                List.copyOf(ports),
                externalIps,
                List.copyOf(ingress),
                sourceRanges,
                externalLocal,
                internalLocal,
                healthCheckNodePort,
                affinitySeconds,
                proxyNamed ? "other" : "",
                proxyNamed);
    }

    static List<IpAddress> addresses(String... values) {
        return Stream.of(values).map(IpAddress::of).toList();
    }
}
