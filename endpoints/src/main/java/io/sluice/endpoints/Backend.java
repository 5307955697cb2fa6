package io.sluice.endpoints;

import io.sluice.api.net.IpAddress;

/**
 * Where a connection can go.
 *
 * @param local whether it is on this node
 */
public record Backend(IpAddress address, int port, boolean local) {

    /** {@code address:port}, the order in which backends are sorted. */
    public String text() {
        return address.withPort(port);
    }
}
