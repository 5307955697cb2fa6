package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The slow, obvious twin of tracker, expander and chooser: keeps all objects as they came and works the contract out anew, sentence by
 * sentence, each time it is asked.
 */
final class SlowProxy {
    private final Map<NamespacedName, Service> services = new HashMap<>();
    private final Map<NamespacedName, EndpointSlice> slices = new HashMap<>();
    private NodeView node;

    SlowProxy(NodeView node) {
        this.node = node;
    }

    void put(Service service) {
        services.put(service.name(), service);
    }

    void deleteService(NamespacedName name) {
        services.remove(name);
    }

    void put(EndpointSlice slice) {
        slices.put(slice.name(), slice);
    }

    void deleteSlice(NamespacedName name) {
        slices.remove(name);
    }

    void node(NodeView changed) {
        node = changed;
    }

    /** Every Service port as text, by name and family. */
    Map<String, String> image() {
        Map<String, String> out = new TreeMap<>();
        for (Service service : services.values()) {
            if (service.headless()
                    || service.proxyNamed()
                    || service.type() == ServiceType.EXTERNAL_NAME) {
                continue;
            }
            for (IpFamily family : IpFamily.values()) {
                for (IpAddress clusterIp : service.clusterIps()) {
                    boolean wanted = clusterIp.family() == family
                            && (service.ipFamilies().isEmpty()
                                    || service.ipFamilies().contains(family));
                    for (ServicePort port : service.ports()) {
                        if (wanted) {
                            ServicePortName name = new ServicePortName(
                                    service.name(), port.name(), port.protocol(), family);
                            out.put(key(name), describe(service, port, name, clusterIp));
                        }
                    }
                }
            }
        }
        return out;
    }

    static String key(ServicePortName name) {
        return name + " " + name.protocol() + " " + name.family();
    }

    private String describe(
            Service service, ServicePort port, ServicePortName name, IpAddress clusterIp) {
        IpFamily family = name.family();
        Set<IpAddress> vips = new TreeSet<>();
        for (LoadBalancerIngress ingress : service.ingress()) {
            if (service.type() == ServiceType.LOAD_BALANCER
                    && !ingress.proxyMode()
                    && ingress.ip().family() == family
                    && !ingress.ip().equals(clusterIp)) {
                vips.add(ingress.ip());
            }
        }
        Set<IpAddress> externalIps = new TreeSet<>();
        for (IpAddress ip : service.externalIps()) {
            if (ip.family() == family && !ip.equals(clusterIp) && !vips.contains(ip)) {
                externalIps.add(ip);
            }
        }
        boolean externalLocal = service.externalLocal()
                && (service.type() != ServiceType.CLUSTER_IP
                        || !service.externalIps().isEmpty());
        boolean healthChecked = externalLocal && service.type() == ServiceType.LOAD_BALANCER;
        boolean externallyAccessible =
                port.nodePort() != 0 || !vips.isEmpty() || !externalIps.isEmpty();
        return new StringBuilder()
                .append(clusterIp.withPort(port.port()))
                .append(" node port ")
                .append(port.nodePort())
                .append(" external ")
                .append(externalIps)
                .append(" vips ")
                .append(vips)
                .append(" sources ")
                .append(sources(service, family, vips))
                .append(" policies ")
                .append(service.internalLocal())
                .append(externalLocal)
                .append(" health ")
                .append(healthChecked ? service.healthCheckNodePort() : 0)
                .append(" affinity ")
                .append(service.affinitySeconds())
                .append(' ')
                .append(endpoints(
                        service,
                        name,
                        !service.internalLocal() || externallyAccessible,
                        service.internalLocal() || externalLocal && externallyAccessible))
                .toString();
    }

    /** What {@link #describe} says of an image that the real one made. */
    static String describe(ServicePortImage port) {
        EndpointChoice choice = port.endpoints();
        Set<String> leftOut = new TreeSet<>();
        Views.reasons(choice).forEach(leftOut::add);
        return port.clusterIp().withPort(port.port())
                + " node port " + port.nodePort()
                + " external " + new TreeSet<>(port.externalIps())
                + " vips " + new TreeSet<>(port.vips())
                + " sources "
                + (port.vipsRestricted() ? new TreeSet<>(texts(port.sourceRanges())) : "all")
                + " policies " + port.internalLocal() + port.externalLocal()
                + " health " + port.healthCheckNodePort()
                + " affinity " + port.affinitySeconds()
                + " cluster " + Views.texts(choice.cluster())
                + " local " + Views.texts(choice.local())
                + " anywhere " + choice.anywhere()
                + " serving " + Views.texts(choice.serving())
                + " localReady " + new TreeSet<>(choice.localReady())
                + " leftOut " + leftOut;
    }

    private static List<String> texts(List<Cidr> ranges) {
        return ranges.stream().map(Cidr::toString).toList();
    }

    private Object sources(Service service, IpFamily family, Set<IpAddress> vips) {
        Set<String> out = new TreeSet<>();
        boolean everybody = service.sourceRanges().isEmpty();
        boolean nodeToo = false;
        for (Cidr range : service.sourceRanges()) {
            if (range.family() == family) {
                everybody |= range.prefix() == 0;
                out.add(range.toString());
                nodeToo |= node.primary(family).filter(range::contains).isPresent();
            }
        }
        if (nodeToo) {
            vips.forEach(vip -> out.add(vip + "/" + family.bits()));
        }
        return everybody ? "all" : out;
    }

    private String endpoints(
            Service service, ServicePortName name, boolean usesCluster, boolean usesLocal) {
        Map<String, Endpoint> all = new TreeMap<>();
        Set<String> leftOut = new TreeSet<>();
        collect(service, name, all, leftOut);

        Set<Endpoint> ready = new HashSet<>();
        Set<Endpoint> readyHere = new HashSet<>();
        boolean anywhere = false;
        for (Endpoint endpoint : all.values()) {
            anywhere |= endpoint.ready() || endpoint.serving() && endpoint.terminating();
            if (endpoint.ready()) {
                ready.add(endpoint);
                if (here(endpoint)) {
                    readyHere.add(endpoint);
                }
            }
        }
        List<String> cluster = new ArrayList<>();
        List<String> local = new ArrayList<>();
        List<String> serving = new ArrayList<>();
        Set<IpAddress> localReady = new TreeSet<>();
        all.forEach((text, endpoint) -> {
            boolean standIn = endpoint.serving() && endpoint.terminating();
            if (ready.isEmpty() ? standIn : endpoint.ready() && near(endpoint, ready)) {
                cluster.add(text);
            }
            if (here(endpoint) && (readyHere.isEmpty() ? standIn : endpoint.ready())) {
                local.add(text);
            }
            if (endpoint.serving() || endpoint.ready()) {
                serving.add(text);
            }
            if (readyHere.contains(endpoint)) {
                localReady.add(endpoint.address());
            }
        });
        all.forEach((text, endpoint) -> {
            boolean out =
                    usesCluster && !cluster.contains(text) || usesLocal && !local.contains(text);
            if (out) {
                leftOut.add(text
                        + ' '
                        + reason(endpoint, usesCluster && !cluster.contains(text), ready));
            }
        });
        return "cluster " + cluster
                + " local " + local
                + " anywhere " + anywhere
                + " serving " + serving
                + " localReady " + localReady
                + " leftOut " + leftOut;
    }

    private void collect(
            Service service, ServicePortName name, Map<String, Endpoint> all, Set<String> leftOut) {
        // By name: where all else is equal the first slice speaks for an address.
        for (EndpointSlice slice : new TreeMap<>(slices).values()) {
            boolean ours = slice.service().equals(service.name());
            boolean family = slice.addressType().name().equals(name.family().name());
            for (Endpoint endpoint : ours ? slice.endpoints() : List.<Endpoint>of()) {
                if (!family) {
                    if (!served(service, slice.addressType().name())) {
                        leftOut.add(endpoint.address() + " OTHER_FAMILY");
                    }
                    continue;
                }
                if (slice.headless()) {
                    leftOut.add(endpoint.address() + " HEADLESS");
                    continue;
                }
                boolean found = false;
                for (EndpointPort port : slice.ports()) {
                    if (port.name().equals(name.port()) && port.protocol() == name.protocol()) {
                        found = true;
                        String text = endpoint.address().withPort(port.port());
                        all.merge(text, endpoint, SlowProxy::preferred);
                    }
                }
                if (!found) {
                    leftOut.add(endpoint.address() + " NO_SUCH_PORT");
                }
            }
        }
    }

    private static boolean served(Service service, String addressType) {
        return service.clusterIps().stream()
                .anyMatch(ip -> ip.family().name().equals(addressType)
                        && (service.ipFamilies().isEmpty()
                                || service.ipFamilies().contains(ip.family())));
    }

    private static Endpoint preferred(Endpoint known, Endpoint other) {
        if (known.terminating() != other.terminating()) {
            return known.terminating() ? other : known;
        }
        if (known.ready() != other.ready()) {
            return known.ready() ? known : other;
        }
        return other.serving() && !known.serving() ? other : known;
    }

    private boolean here(Endpoint endpoint) {
        return endpoint.nodeName().equals(node.name());
    }

    private boolean near(Endpoint endpoint, Set<Endpoint> ready) {
        return switch (topology(ready)) {
            case "node" -> endpoint.nodeHints().contains(node.name());
            case "zone" -> endpoint.zoneHints().contains(node.zone());
            default -> true;
        };
    }

    private String topology(Set<Endpoint> ready) {
        boolean allNodes = true;
        boolean ourNode = false;
        boolean allZones = true;
        boolean ourZone = false;
        for (Endpoint endpoint : ready) {
            allNodes &= !endpoint.nodeHints().isEmpty();
            ourNode |= endpoint.nodeHints().contains(node.name());
            allZones &= !endpoint.zoneHints().isEmpty();
            ourZone |=
                    endpoint.zoneHints().contains(node.zone()) && !node.zone().isEmpty();
        }
        return allNodes && ourNode ? "node" : allZones && ourZone ? "zone" : "none";
    }

    private String reason(Endpoint endpoint, boolean missesCluster, Set<Endpoint> ready) {
        boolean standIn = endpoint.serving() && endpoint.terminating();
        if (endpoint.ready()) {
            boolean zone = topology(ready).equals("zone");
            return missesCluster ? zone ? "OTHER_ZONE" : "NOT_HINTED_NODE" : "OTHER_NODE";
        }
        if (!standIn) {
            return endpoint.terminating() ? "TERMINATING_NOT_SERVING" : "NOT_READY";
        }
        // It would do, were there no ready one: anywhere, or on this node.
        return missesCluster || here(endpoint) ? "TERMINATING" : "OTHER_NODE";
    }
}
