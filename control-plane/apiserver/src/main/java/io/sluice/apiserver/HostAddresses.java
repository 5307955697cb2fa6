package io.sluice.apiserver;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The addresses of this host's interfaces. */
final class HostAddresses {
    private HostAddresses() {}

    /** All but link-local ones, in the interfaces' order; none where they cannot be read. */
    static List<IpAddress> all() {
        List<IpAddress> out = new ArrayList<>();
        try {
            for (NetworkInterface each :
                    Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp()) {
                    for (InetAddress address : Collections.list(each.getInetAddresses())) {
                        IpAddress parsed = IpAddress.of(address.getAddress());
                        if (!parsed.isLinkLocal()) {
                            out.add(parsed);
                        }
                    }
                }
            }
        } catch (SocketException e) {
            return List.of();
        }
        return out;
    }

    /** The first that is reachable from outside; a loopback address where there is none. */
    static IpAddress first(IpFamily family) {
        return all().stream()
                .filter(address -> address.family() == family && !address.isLoopback())
                .findFirst()
                .orElse(IpAddress.of(family == IpFamily.IPV4 ? "127.0.0.1" : "::1"));
    }
}
