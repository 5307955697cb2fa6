package io.sluice.kernel;

import io.sluice.api.net.IpAddress;
import io.sluice.kernel.netlink.Message;
import io.sluice.kernel.netlink.MessageWriter;
import io.sluice.kernel.netlink.NetlinkSocket;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Interfaces of the caller's network namespace, over rtnetlink. Opens a socket for each call: they are rare.
 *
 * <pre>
 *   ifinfomsg (16)    family:1 pad:1 type:2 index:4 flags:4 change:4
 *   ifaddrmsg (8)     family:1 prefix:1 flags:1 scope:1 index:4
 * </pre>
 */
public final class LinkNetlink {
    private static final int RTM_DELLINK = 17;
    private static final int RTM_GETLINK = 18;
    private static final int RTM_GETADDR = 22;
    private static final int IFINFOMSG = 16;
    private static final int IFADDRMSG = 8;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_LINKINFO = 18;
    private static final int IFLA_INFO_KIND = 1;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int BUFFER = 256 * 1024;

    private LinkNetlink() {}

    /** An interface. @param kind {@code dummy}, {@code veth} …; empty for hardware */
    public record Link(int index, String name, String kind) {}

    public static Optional<Link> find(String name) throws KernelException {
        Link[] found = {null};
        try (NetlinkSocket socket = open()) {
            MessageWriter request = new MessageWriter();
            socket.dump(
                    () -> {
                        found[0] = null;
                        request.begin(RTM_GETLINK, MessageWriter.DUMP, socket.nextSequence());
                        request.u32(0).u32(0).u32(0).u32(0);
                        request.end();
                    },
                    request,
                    "interfaces",
                    message -> {
                        Link link = link(message);
                        if (link.name().equals(name)) {
                            found[0] = link;
                        }
                    });
        }
        return Optional.ofNullable(found[0]);
    }

    private static Link link(Message message) {
        Message attributes = message.skip(IFINFOMSG);
        return new Link(
                message.u32(4),
                attributes.find(IFLA_IFNAME).map(Message::text).orElse(""),
                attributes
                        .find(IFLA_LINKINFO)
                        .flatMap(info -> info.find(IFLA_INFO_KIND))
                        .map(Message::text)
                        .orElse(""));
    }

    /** Its addresses of both families, without their prefixes. */
    public static Set<IpAddress> addresses(Link link) throws KernelException {
        Set<IpAddress> found = new TreeSet<>();
        try (NetlinkSocket socket = open()) {
            MessageWriter request = new MessageWriter();
            socket.dump(
                    () -> {
                        found.clear();
                        request.begin(RTM_GETADDR, MessageWriter.DUMP, socket.nextSequence());
                        request.u32(0).u32(0);
                        request.end();
                    },
                    request,
                    "addresses of " + link.name(),
                    message -> {
                        if (message.u32(4) == link.index()) {
                            Message attributes = message.skip(IFADDRMSG);
                            // With a peer only the first one is ours; IPv6 has the second alone.
                            attributes
                                    .find(IFA_LOCAL)
                                    .or(() -> attributes.find(IFA_ADDRESS))
                                    .ifPresent(at -> found.add(IpAddress.of(at.copy())));
                        }
                    });
        }
        return found;
    }

    /** With its addresses and routes. */
    public static void delete(Link link) throws KernelException {
        try (NetlinkSocket socket = open()) {
            MessageWriter out = new MessageWriter();
            out.begin(RTM_DELLINK, MessageWriter.ACK, socket.nextSequence());
            out.u32(0).u32(link.index()).u32(0).u32(0);
            out.end();
            socket.acknowledged(out, "delete", "interface " + link.name());
        }
    }

    private static NetlinkSocket open() throws KernelException {
        return NetlinkSocket.open(NetlinkSocket.ROUTE, "rtnetlink", BUFFER);
    }
}
