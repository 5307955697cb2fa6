package io.sluice.cli.packets;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The namespaces of {@link LabPlan} with the links and routes between them. What comes to the world is answered there. */
final class Topology implements AutoCloseable {
    /** The address of node sides of pod links; pods have it as their gateway. */
    private static final String GATEWAY_V4 = "169.254.1.1";

    private static final String GATEWAY_V6 = "fe80::1";
    private static final String GATEWAY_LINK = "02:00:00:00:00:01";

    private final Map<String, NetSpace> spaces = new LinkedHashMap<>();

    Topology() throws IOException {
        NetSpace.removeStale();
        try {
            build();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    NetSpace nodeA() {
        return space("A");
    }

    NetSpace nodeB() {
        return space("B");
    }

    NetSpace outside() {
        return space("outside");
    }

    NetSpace world() {
        return space("world");
    }

    /** Also of pods, by their names. */
    NetSpace space(String role) {
        return spaces.get(role);
    }

    private void build() throws IOException {
        for (String role : List.of("A", "B", "outside", "world")) {
            add(role, true);
        }
        link(nodeA(), "lan", LabPlan::nodeA, nodeB(), "lan", LabPlan::nodeB);
        link(nodeA(), "outside", LabPlan::nodeAOutside, outside(), "eth0", LabPlan::outside);
        link(nodeA(), "world", LabPlan::nodeAWorld, world(), "eth0", LabPlan::world);
        for (String pod : LabPlan.PODS) {
            pod(add(pod, false), pod, LabPlan.onNodeA(pod) ? nodeA() : nodeB());
        }
        for (IpFamily family : IpFamily.values()) {
            String ip = family == IpFamily.IPV4 ? "" : "-6 ";
            gateway(nodeB(), family, LabPlan.nodeA(family));
            gateway(outside(), family, LabPlan.nodeAOutside(family));
            gateway(world(), family, LabPlan.nodeAWorld(family));
            String podsOfB = family == IpFamily.IPV4 ? "10.244.2.0/24" : "fd00:244:2::/64";
            nodeA().exec(
                            "",
                            ("ip " + ip + "route add " + podsOfB + " via " + LabPlan.nodeB(family))
                                    .split(" "));
            nodeA().exec(
                            "",
                            ("ip " + ip + "route add default via " + LabPlan.world(family) + " src "
                                            + LabPlan.nodeA(family))
                                    .split(" "));
        }
        // A transparent server: it answers from whatever address was asked.
        world().exec("""
                table inet catch {
                  chain everything {
                    type nat hook prerouting priority dstnat;
                    iifname "eth0" meta l4proto { tcp, udp } redirect to :8080
                  }
                }
                """, "nft", "-f", "-");
    }

    private NetSpace add(String role, boolean forwards) throws IOException {
        NetSpace space = new NetSpace(role);
        spaces.put(role, space);
        Map<String, String> settings = new HashMap<>();
        for (String scope : List.of("all", "default")) {
            settings.put("ipv4/conf/" + scope + "/rp_filter", "0");
            settings.put("ipv4/conf/" + scope + "/send_redirects", "0");
            settings.put("ipv4/conf/" + scope + "/accept_redirects", "0");
            settings.put("ipv6/conf/" + scope + "/accept_redirects", "0");
            settings.put("ipv6/conf/" + scope + "/accept_dad", "0");
            settings.put("ipv6/conf/" + scope + "/dad_transmits", "0");
            settings.put("ipv6/conf/" + scope + "/disable_ipv6", "0");
        }
        settings.put("ipv6/icmp/ratelimit", "0");
        settings.put("ipv4/icmp_ratelimit", "0");
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            space.sysctl(setting.getKey(), setting.getValue());
        }
        if (forwards) {
            space.sysctl("ipv4/ip_forward", "1");
            space.sysctl("ipv6/conf/all/forwarding", "1");
        }
        return space;
    }

    /** Which address an end has in each family. */
    private interface Address {
        IpAddress of(IpFamily family);
    }

    private static void link(
            NetSpace left,
            String name,
            Address leftAddress,
            NetSpace right,
            String peer,
            Address rightAddress)
            throws IOException {
        left.ip("link add name " + name + " type veth peer name " + peer + " netns "
                + right.name());
        addresses(left, name, leftAddress);
        addresses(right, peer, rightAddress);
    }

    private static void addresses(NetSpace space, String name, Address address) throws IOException {
        space.ip(
                "link set " + name + " up",
                "addr add " + address.of(IpFamily.IPV4) + "/24 dev " + name,
                "addr add " + address.of(IpFamily.IPV6) + "/64 dev " + name + " nodad");
    }

    private static void gateway(NetSpace space, IpFamily family, IpAddress via) throws IOException {
        String ip = family == IpFamily.IPV4 ? "ip" : "ip -6";
        space.exec("", (ip + " route add default via " + via).split(" "));
    }

    /** A link of two: the pod sends all to its gateway, the node has a route for the pod alone. */
    private static void pod(NetSpace pod, String name, NetSpace node) throws IOException {
        String outer = LabPlan.podInterface(name);
        IpAddress v4 = LabPlan.pod(name, IpFamily.IPV4);
        IpAddress v6 = LabPlan.pod(name, IpFamily.IPV6);
        node.ip(
                "link add name " + outer + " address " + GATEWAY_LINK
                        + " type veth peer name eth0 netns " + pod.name(),
                "link set " + outer + " up",
                "addr add " + GATEWAY_V6 + "/64 dev " + outer + " nodad");
        pod.ip(
                "link set eth0 up",
                "addr add " + v4 + "/32 dev eth0",
                "addr add " + v6 + "/128 dev eth0 nodad",
                "route add " + GATEWAY_V4 + " dev eth0 scope link",
                "neigh add " + GATEWAY_V4 + " lladdr " + GATEWAY_LINK + " dev eth0 nud permanent",
                "route add default via " + GATEWAY_V4 + " dev eth0");
        pod.exec("", ("ip -6 route add default via " + GATEWAY_V6 + " dev eth0").split(" "));
        node.ip("route add " + v4 + "/32 dev " + outer);
        node.exec("", ("ip -6 route add " + v6 + "/128 dev " + outer).split(" "));
    }

    @Override
    public void close() throws IOException {
        List<IOException> failures = new ArrayList<>();
        for (NetSpace space : spaces.values()) {
            try {
                space.close();
            } catch (IOException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }
}
