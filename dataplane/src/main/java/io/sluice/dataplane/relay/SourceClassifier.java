package io.sluice.dataplane.relay;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.SourceClass;

import java.util.List;
import java.util.Set;

/**
 * Tells where a client is by its address. Immutable.
 *
 * @param nodeAddresses of all interfaces
 * @param podBlocks from which this node's pods come; empty without a local-traffic detector
 * @param node whose primary addresses stand for it
 */
record SourceClassifier(Set<IpAddress> nodeAddresses, List<Cidr> podBlocks, NodeView node) {
    private static final IpAddress LOOPBACK_V4 = IpAddress.of("127.0.0.1");
    private static final IpAddress LOOPBACK_V6 = IpAddress.of("::1");

    /**
     * The address that rules are to see. A process of this node that talks to a Service address has that very address as its source,
     * since the address is local here; in IPv6, where no interface has the address, it has {@code ::1}.
     */
    IpAddress seen(IpAddress source, IpAddress frontend) {
        boolean itself = source.equals(frontend) || source.isLoopback() && !frontend.isLoopback();
        return itself ? primary(source.family()) : source;
    }

    IpAddress primary(IpFamily family) {
        return node.primary(family)
                .orElse(
                        switch (family) {
                            case IPV4 -> LOOPBACK_V4;
                            case IPV6 -> LOOPBACK_V6;
                        });
    }

    SourceClass of(IpAddress source) {
        if (source.isLoopback() || nodeAddresses.contains(source)) {
            return SourceClass.NODE;
        }
        for (Cidr block : podBlocks) {
            if (block.contains(source)) {
                return SourceClass.POD;
            }
        }
        return SourceClass.OUTSIDE;
    }
}
