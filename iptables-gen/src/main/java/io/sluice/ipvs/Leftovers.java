package io.sluice.ipvs;

import io.sluice.api.net.IpAddress;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What a kube-proxy in mode IPVS leaves in a kernel: names, and which virtual servers are its own. Pure. */
public final class Leftovers {
    /** A dummy, which has all addresses of Services. */
    public static final String DEVICE = "kube-ipvs0";

    private static final int LONGEST_SET_NAME = 31;
    private static final List<String> SETS = List.of(
            "LOOP-BACK",
            "CLUSTER-IP",
            "EXTERNAL-IP",
            "EXTERNAL-IP-LOCAL",
            "LOAD-BALANCER",
            "LOAD-BALANCER-LOCAL",
            "LOAD-BALANCER-FW",
            "LOAD-BALANCER-SOURCE-CIDR",
            "LOAD-BALANCER-SOURCE-IP",
            "NODE-PORT-TCP",
            "NODE-PORT-LOCAL-TCP",
            "NODE-PORT-UDP",
            "NODE-PORT-LOCAL-UDP",
            "NODE-PORT-SCTP-HASH",
            "NODE-PORT-LOCAL-SCTP-HASH",
            "HEALTH-CHECK-NODE-PORT",
            "IPVS-IPS");

    private Leftovers() {}

    /** The ipsets of both families. */
    public static List<String> sets() {
        return SETS.stream()
                .flatMap(set -> Stream.of("KUBE-" + set, cut("KUBE-6-" + set)))
                .toList();
    }

    private static String cut(String name) {
        return name.length() <= LONGEST_SET_NAME ? name : name.substring(0, LONGEST_SET_NAME);
    }

    /**
     * Those on an address of its device; and those elsewhere whose real servers all stand behind such a one too, which are node ports. A
     * virtual server of somebody else has other real servers. One without any could be anybody's.
     *
     * @param found of both families
     * @param bound the addresses of {@link #DEVICE}
     */
    public static List<FoundServer> own(Collection<FoundServer> found, Set<IpAddress> bound) {
        Set<RealServer> theirs = new HashSet<>();
        found.stream()
                .filter(server -> bound.contains(server.at().address()))
                .forEach(server -> theirs.addAll(server.realServers().keySet()));
        return found.stream()
                .filter(server -> bound.contains(server.at().address())
                        || !server.realServers().isEmpty()
                                && theirs.containsAll(server.realServers().keySet()))
                .toList();
    }
}
