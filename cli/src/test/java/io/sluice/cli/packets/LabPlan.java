package io.sluice.cli.packets;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.List;

/**
 * Who has which address. Everything but the pods' own blocks is documentation or benchmark space.
 *
 * <pre>
 *   outside ──── A ──── world (answers whatever reaches it)      pods of A: a1, a2, c1
 *                │
 *                B                                               pods of B: b1, b2
 * </pre>
 */
final class LabPlan {
    static final List<String> PODS = List.of("a1", "a2", "b1", "b2", "c1");
    /** The port of the endpoints, and a second one. */
    static final int POD_PORT = 8080;

    static final int SECOND_POD_PORT = 8081;
    static final int SERVICE_PORT = 80;
    static final int UNUSED_PORT = 81;
    static final String NODE_A = "node-a";
    static final String NODE_B = "node-b";
    static final String ZONE = "zone-a";
    static final String SERVICE_RANGES = "10.96.0.0/16,fd00:96::/112";
    static final String POD_RANGES = "10.244.0.0/16,fd00:244::/32";
    static final String POD_INTERFACES = "pod-";

    private LabPlan() {}

    private static IpAddress pick(IpFamily family, String v4, String v6) {
        return IpAddress.of(
                switch (family) {
                    case IPV4 -> v4;
                    case IPV6 -> v6;
                });
    }

    /** Node A's primary address, and where B reaches it. */
    static IpAddress nodeA(IpFamily family) {
        return pick(family, "192.0.2.1", "2001:db8:99::1");
    }

    static IpAddress nodeB(IpFamily family) {
        return pick(family, "192.0.2.2", "2001:db8:99::2");
    }

    /** Node A's address on the link to the outside. */
    static IpAddress nodeAOutside(IpFamily family) {
        return pick(family, "198.51.100.1", "2001:db8:98::1");
    }

    static IpAddress outside(IpFamily family) {
        return pick(family, "198.51.100.100", "2001:db8:98::100");
    }

    /** Node A's address on the link to the world. */
    static IpAddress nodeAWorld(IpFamily family) {
        return pick(family, "203.0.113.1", "2001:db8:97::1");
    }

    static IpAddress world(IpFamily family) {
        return pick(family, "203.0.113.254", "2001:db8:97::fe");
    }

    static IpAddress localhost(IpFamily family) {
        return pick(family, "127.0.0.1", "::1");
    }

    static IpAddress pod(String name, IpFamily family) {
        int number = name.equals("c1") ? 9 : name.charAt(1) - '0';
        int node = onNodeA(name) ? 1 : 2;
        return pick(family, "10.244." + node + '.' + number, "fd00:244:" + node + "::" + number);
    }

    static boolean onNodeA(String pod) {
        return !pod.startsWith("b");
    }

    /** The interface of node A or B that leads to the pod. */
    static String podInterface(String pod) {
        return POD_INTERFACES + pod;
    }

    /** The pod of {@code pod} or {@code pod:port}. */
    static String podOf(String receiver) {
        return receiver.split(":")[0];
    }

    /** {@code address:port} of {@code pod} or {@code pod:port}. */
    static String endpoint(String receiver, IpFamily family) {
        int port = receiver.contains(":") ? Integer.parseInt(receiver.split(":")[1]) : POD_PORT;
        return pod(podOf(receiver), family).withPort(port);
    }

    static IpAddress clusterIp(int number, IpFamily family) {
        return pick(family, "10.96.1." + number, "fd00:96::1%02x".formatted(number));
    }

    /** Of the Service range, and no Service's. */
    static IpAddress unallocated(int number, IpFamily family) {
        return pick(family, "10.96.200." + number, "fd00:96::f0%02x".formatted(number));
    }

    static IpAddress externalIp(int number, IpFamily family) {
        return pick(family, "198.18.1." + number, "2001:db8:1::%x".formatted(number));
    }

    static IpAddress vip(int number, IpFamily family) {
        return pick(family, "198.18.2." + number, "2001:db8:2::%x".formatted(number));
    }

    static int nodePort(int number) {
        return 30_000 + number;
    }

    static int healthCheckNodePort(int number) {
        return 31_000 + number;
    }
}
