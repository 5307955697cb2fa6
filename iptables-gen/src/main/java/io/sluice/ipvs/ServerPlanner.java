package io.sluice.ipvs;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.rules.NodeFacts;

import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which virtual servers one family needs. Where an external Local policy finds no endpoint here, all endpoints are used, as kube-proxy
 * does in this mode: a virtual server cannot tell clients on the node from others, and those on it are to be served.
 */
public final class ServerPlanner {
    private final IpFamily family;
    private final Scheduler scheduler;
    private final NodePortAddresses nodePorts;

    public ServerPlanner(IpFamily family, Scheduler scheduler, NodePortAddresses nodePorts) {
        this.family = family;
        this.scheduler = scheduler;
        this.nodePorts = nodePorts;
    }

    /** Where two Services want the same address and port, the first by name has it. */
    public SortedMap<ServerAddress, VirtualServer> plan(
            Collection<ServicePortImage> ports, NodeFacts facts) {
        SortedMap<ServerAddress, VirtualServer> out = new TreeMap<>();
        List<IpAddress> nodes = nodeAddresses(facts);
        ports.stream()
                .filter(port -> port.name().family() == family)
                .sorted((left, right) -> left.name().compareTo(right.name()))
                .forEach(port -> {
                    add(out, port, port.clusterIp(), port.port(), port.internalBackends());
                    List<Backend> external = port.externalBackends().isEmpty()
                            ? port.endpoints().cluster()
                            : port.externalBackends();
                    port.externalIps().forEach(ip -> add(out, port, ip, port.port(), external));
                    port.vips().forEach(ip -> add(out, port, ip, port.port(), external));
                    if (port.nodePort() != 0) {
                        nodes.forEach(ip -> add(out, port, ip, port.nodePort(), external));
                    }
                });
        return out;
    }

    private void add(
            SortedMap<ServerAddress, VirtualServer> out,
            ServicePortImage port,
            IpAddress address,
            int number,
            List<Backend> backends) {
        ServerAddress at = new ServerAddress(address, number, port.name().protocol());
        List<RealServer> reals = backends.stream()
                .map(backend -> new RealServer(backend.address(), backend.port()))
                .distinct()
                .toList();
        out.putIfAbsent(at, new VirtualServer(at, scheduler, port.affinitySeconds(), reals));
    }

    /** Loopback never answers: a masqueraded packet from 127.0.0.1 could not come back. */
    private List<IpAddress> nodeAddresses(NodeFacts facts) {
        List<IpAddress> some = nodePorts.matchesAll(family)
                ? facts.interfaceAddresses()
                : nodePorts.select(family, facts.view(), facts.interfaceAddresses());
        return some.stream()
                .filter(address -> address.family() == family)
                .filter(address -> !address.isLoopback())
                .filter(address -> family == IpFamily.IPV4 || !address.isLinkLocal())
                .distinct()
                .sorted()
                .toList();
    }
}
