package io.sluice.dataplane.relay;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.SourceClass;

import java.util.List;
import java.util.Set;

/**
 * Tells where a client is by its address. Immutable.
 *
 * @param nodeAddresses of all interfaces
 * @param podBlocks from which this node's pods come; empty without a local-traffic detector
 */
record SourceClassifier(Set<IpAddress> nodeAddresses, List<Cidr> podBlocks) {

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
