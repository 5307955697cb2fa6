package io.sluice.endpoints;

import io.sluice.api.model.AddressType;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import java.util.List;
import java.util.Random;

/** Services and slices of a small world, in which names, addresses and ports meet often. */
final class RandomObjects {
    private static final List<String> V4 = List.of(
            "10.244.1.1", "10.244.1.2", "10.244.1.3", "10.244.2.1", "10.244.2.2", "10.244.10.1");
    private static final List<String> V6 =
            List.of("2001:db8:2::1", "2001:db8:2::2", "2001:db8:2::10");
    private static final List<String> ADDRESSES =
            List.of("198.51.100.1", "198.51.100.2", "203.0.113.10", "10.96.0.1", "2001:db8:3::1");
    private static final List<String> RANGES =
            List.of("10.0.0.0/8", "192.0.2.0/24", "0.0.0.0/0", "2001:db8::/32", "fd00::/8");

    private final Random random;

    RandomObjects(Random random) {
        this.random = random;
    }

    String serviceName() {
        return "s" + random.nextInt(4);
    }

    String sliceName() {
        return "slice-" + random.nextInt(8);
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    NodeView node() {
        return new NodeView(
                oneIn(8) ? "node-2" : "node-1",
                pick(List.of("z1", "z1", "z2", "")),
                oneIn(3) ? List.of() : Views.NODE.addresses());
    }

    Service service() {
        AService out = AService.named(serviceName()).type(pick(List.of(ServiceType.values())));
        String v4 = "10.96.0." + random.nextInt(4);
        String v6 = "2001:db8:96::" + random.nextInt(4);
        switch (random.nextInt(6)) {
            case 0 -> out.families(IpFamily.IPV4, IpFamily.IPV6).clusterIps(v4, v6);
            case 1 -> out.families(IpFamily.IPV6, IpFamily.IPV4).clusterIps(v6, v4);
            case 2 -> out.families(IpFamily.IPV6).clusterIps(v6);
            case 3 -> out.families().clusterIps();
            case 4 -> out.families().clusterIps(v4);
            default -> out.families(IpFamily.IPV4).clusterIps(v4);
        }
        ports(out);
        addresses(out);
        policies(out);
        return out.build();
    }

    private void ports(AService out) {
        int nodePort = oneIn(2) ? 0 : 30_000 + random.nextInt(3);
        out.port(pick(List.of("http", "http", "")), Protocol.TCP, 80 + random.nextInt(2), nodePort);
        if (oneIn(3)) {
            out.port("dns", Protocol.UDP, 53, nodePort);
        }
        if (oneIn(6)) {
            out.port("http", Protocol.TCP, 8080, 0);
        }
    }

    private void addresses(AService out) {
        if (oneIn(3)) {
            out.externalIps(pick(ADDRESSES), pick(ADDRESSES), pick(ADDRESSES));
        }
        ServiceType type = pick(List.of(ServiceType.values()));
        if (oneIn(2)) {
            out.vips(pick(ADDRESSES), pick(ADDRESSES));
        }
        if (oneIn(4)) {
            out.proxyVip(pick(ADDRESSES));
        }
        if (oneIn(2)) {
            out.type(type);
        }
        if (oneIn(3)) {
            out.sourceRanges(pick(RANGES), pick(RANGES));
        }
    }

    private void policies(AService out) {
        if (oneIn(2)) {
            out.externalLocal().healthCheckNodePort(31_000);
        }
        if (oneIn(3)) {
            out.internalLocal();
        }
        if (oneIn(3)) {
            out.affinity(10 + random.nextInt(2));
        }
        if (oneIn(10)) {
            out.headless();
        }
        if (oneIn(10)) {
            out.otherProxy();
        }
    }

    EndpointSlice slice() {
        ASlice out = ASlice.named(sliceName()).of(oneIn(12) ? "" : serviceName());
        boolean v6 = oneIn(4);
        out.type(oneIn(20) ? AddressType.FQDN : v6 ? AddressType.IPV6 : AddressType.IPV4);
        if (oneIn(12)) {
            out.headless();
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            out.port(
                    pick(List.of("http", "http", "http", "", "dns")),
                    oneIn(4) ? Protocol.UDP : Protocol.TCP,
                    8080 + random.nextInt(2));
        }
        boolean zones = oneIn(2);
        boolean nodes = oneIn(3);
        for (int i = random.nextInt(6); i > 0; i--) {
            out.endpoint(endpoint(v6 ? V6 : V4, zones, nodes));
        }
        if (oneIn(3)) {
            out.triggered(1 + random.nextInt(1_000));
        }
        return out.build();
    }

    private AnEndpoint endpoint(List<String> addresses, boolean zones, boolean nodes) {
        AnEndpoint out = AnEndpoint.at(pick(addresses)).on(pick(List.of("node-1", "node-2", "")));
        if (!oneIn(2)) {
            out.conditions(random.nextBoolean(), random.nextBoolean(), oneIn(2));
        }
        if (zones && !oneIn(12)) {
            out.zones(pick(List.of("z1", "z2")));
        }
        if (nodes && !oneIn(12)) {
            out.nodes(pick(List.of("node-1", "node-2")));
        }
        return out;
    }
}
