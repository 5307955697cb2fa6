package io.sluice.dataplane.proxy;

import io.sluice.api.net.IpAddress;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The addresses of this machine's interfaces. */
final class NodeAddresses {
    private NodeAddresses() {}

    /** All of them; addresses other machines can use first, loopback last. Empty where the kernel does not tell. */
    static List<IpAddress> read() {
        List<IpAddress> out = new ArrayList<>();
        try {
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .forEach(address -> out.add(IpAddress.of(address.getAddress())));
        } catch (SocketException e) {
            return List.of();
        }
        out.sort(Comparator.comparing(IpAddress::isLoopback)
                .thenComparing(IpAddress::isLinkLocal)
                .thenComparing(Comparator.naturalOrder()));
        return List.copyOf(out);
    }
}
