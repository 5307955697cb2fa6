package io.sluice.endpoints;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.List;
import java.util.Optional;

/**
 * The node a proxy runs on, as far as choosing endpoints depends on it.
 *
 * @param zone empty where the node has no zone label
 * @param addresses the node's own addresses; those of the Node object, or of its interfaces
 */
public record NodeView(String name, String zone, List<IpAddress> addresses) {

    /** The first address of a family is the node's primary one. */
    public Optional<IpAddress> primary(IpFamily family) {
        return addresses.stream().filter(address -> address.family() == family).findFirst();
    }
}
