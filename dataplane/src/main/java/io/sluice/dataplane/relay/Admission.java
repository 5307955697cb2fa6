package io.sluice.dataplane.relay;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.ServicePortImage;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a frontend's socket must do with clients, before any of them is known. Pure. */
sealed interface Admission {

    /** No socket: the kernel refuses. */
    record Closed() implements Admission {}

    /** A socket. @param sources only these get an answer; empty: everybody does */
    record Open(Optional<List<Cidr>> sources) implements Admission {}

    static Admission of(Claim claim, SourceClassifier classifier) {
        ServicePortImage port = claim.port();
        Frontend.Kind kind = claim.frontend().kind();
        if (!port.endpoints().anywhere()) {
            return new Closed();
        }
        Optional<List<Cidr>> sources = Optional.empty();
        boolean internal = kind == Frontend.Kind.CLUSTER_IP;
        boolean localOnly = internal ? port.internalLocal() : port.externalLocal();
        if (localOnly && port.endpoints().local().isEmpty()) {
            // Clients off the node are to hear nothing; an external policy still serves the node
            // and its pods.
            boolean nobody = internal || port.endpoints().cluster().isEmpty();
            sources = Optional.of(
                    nobody ? List.of() : near(classifier, claim.frontend().address()));
        } else if (!localOnly && port.endpoints().cluster().isEmpty()) {
            return new Closed();
        }
        if (kind == Frontend.Kind.LOAD_BALANCER && port.vipsRestricted()) {
            List<Cidr> ranges = ranges(port, claim.frontend().address(), classifier);
            sources = Optional.of(sources.map(near -> intersect(near, ranges)).orElse(ranges));
        }
        return new Open(sources);
    }

    /** Where the node may use the VIP, packets from it have the VIP itself or a loopback address as their source. */
    private static List<Cidr> ranges(
            ServicePortImage port, IpAddress vip, SourceClassifier classifier) {
        IpAddress node = classifier.primary(vip.family());
        if (port.sourceRanges().stream().noneMatch(range -> range.contains(node))) {
            return port.sourceRanges();
        }
        List<Cidr> out = new ArrayList<>(port.sourceRanges());
        out.add(single(vip));
        out.add(loopback(vip.family()));
        return out;
    }

    private static Cidr loopback(IpFamily family) {
        return switch (family) {
            case IPV4 -> Cidr.of("127.0.0.0/8");
            case IPV6 -> Cidr.of("::1/128");
        };
    }

    private static Cidr single(IpAddress address) {
        return new Cidr(address, address.family().bits());
    }

    /** The node and its pods. @param frontend what processes of the node have as source when they use it */
    private static List<Cidr> near(SourceClassifier classifier, IpAddress frontend) {
        IpFamily family = frontend.family();
        List<Cidr> out = new ArrayList<>(classifier.podBlocks());
        if (!frontend.isUnspecified()) {
            out.add(single(frontend));
        }
        for (IpAddress address : classifier.nodeAddresses()) {
            out.add(single(address));
        }
        out.add(loopback(family));
        return out.stream().filter(block -> block.family() == family).toList();
    }

    private static List<Cidr> intersect(List<Cidr> some, List<Cidr> others) {
        List<Cidr> out = new ArrayList<>();
        for (Cidr a : some) {
            for (Cidr b : others) {
                Cidr narrow = a.prefix() >= b.prefix() ? a : b;
                Cidr wide = narrow == a ? b : a;
                if (wide.contains(narrow.address())) {
                    out.add(narrow);
                }
            }
        }
        return out;
    }
}
