package io.sluice.ipvs;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;

import java.util.Comparator;

/** By what the kernel tells virtual servers apart. */
public record ServerAddress(IpAddress address, int port, Protocol protocol)
        implements Comparable<ServerAddress> {
    private static final Comparator<ServerAddress> ORDER = Comparator.comparing(
                    ServerAddress::protocol)
            .thenComparing(ServerAddress::address)
            .thenComparingInt(ServerAddress::port);

    @Override
    public int compareTo(ServerAddress other) {
        return ORDER.compare(this, other);
    }
}
