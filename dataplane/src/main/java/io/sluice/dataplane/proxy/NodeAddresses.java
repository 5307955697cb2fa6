package io.sluice.dataplane.proxy;

import io.sluice.api.model.Node;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.endpoints.NodeView;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The addresses of this machine's interfaces. */
final class NodeAddresses {
    private NodeAddresses() {}

    /** IPv4, and IPv6 where the kernel has it and it is not switched off. */
    static Set<IpFamily> families() {
        return hasIpv6() ? EnumSet.allOf(IpFamily.class) : EnumSet.of(IpFamily.IPV4);
    }

    private static boolean hasIpv6() {
        try {
            return Files.exists(Path.of("/proc/net/if_inet6"))
                    && !Files.readString(Path.of("/proc/sys/net/ipv6/conf/all/disable_ipv6"))
                            .strip()
                            .equals("1");
        } catch (IOException e) {
            return false;
        }
    }

    /** The node of a proxy: its primary addresses are those of {@code bindAddress}, then of its Node, then of its interfaces. */
    static NodeView view(ProxyConfig config, Optional<Node> known, List<IpAddress> interfaces) {
        List<IpAddress> own = interfaces.stream()
                .filter(address -> !address.isLoopback() && !address.isLinkLocal())
                .toList();
        List<IpAddress> addresses = new ArrayList<>();
        IpAddress.parse(config.bindAddress())
                .filter(address -> !address.isUnspecified())
                .ifPresent(addresses::add);
        addresses.addAll(known.filter(found -> !found.addresses().isEmpty())
                .map(Node::addresses)
                .orElse(own));
        return new NodeView(
                config.nodeName(), known.map(Node::zone).orElse(""), List.copyOf(addresses));
    }

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
