package io.sluice.kernel;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.kernel.netlink.Message;
import io.sluice.kernel.netlink.MessageWriter;
import io.sluice.kernel.netlink.NetlinkSocket;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Routes that make address blocks local to this node, over rtnetlink ({@code include/uapi/linux/rtnetlink.h}). Opens a socket for each
 * call: they are rare.
 *
 * <pre>
 *   rtmsg (12)    family:1 dst_len:1 src_len:1 tos:1 table:1 protocol:1 scope:1 type:1 flags:4
 * </pre>
 */
public final class RouteNetlink {
    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_DELROUTE = 25;
    private static final int RTM_GETROUTE = 26;
    private static final int RT_TABLE_LOCAL = 255;
    /** Who made a route; a number nobody else claims, by which ours are told from others. */
    private static final int PROTOCOL = 83;

    private static final int RT_SCOPE_HOST = 254;
    private static final int RTN_LOCAL = 2;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTMSG = 12;
    /** The loopback device is always the first of its namespace. */
    private static final int LOOPBACK_INDEX = 1;

    private static final int BUFFER = 64 * 1024;

    private RouteNetlink() {}

    /** {@code ip route add local BLOCK dev lo table local}; one that is there already is fine. */
    public static void addLocal(Cidr block) throws KernelException {
        try {
            // Not NLM_F_REPLACE, which would take over the entry of an interface that has the
            // address.
            request(
                    RTM_NEWROUTE,
                    MessageWriter.CREATE | MessageWriter.EXCLUSIVE,
                    block,
                    "add local route");
        } catch (KernelException e) {
            if (e.errno() != Errno.EEXIST) {
                throw e;
            }
        }
    }

    /** Takes it away; one that is gone already, or that is not ours, is left. */
    public static void deleteLocal(Cidr block) throws KernelException {
        try {
            request(RTM_DELROUTE, 0, block, "delete local route");
        } catch (KernelException e) {
            if (e.errno() != Errno.ESRCH) {
                throw e;
            }
        }
    }

    /** Those that {@link #addLocal} made and nobody took away, also in processes that are gone. */
    public static List<Cidr> listLocal() throws KernelException {
        List<Cidr> out = new ArrayList<>();
        try (NetlinkSocket socket = open()) {
            for (IpFamily family : IpFamily.values()) {
                List<Cidr> found = new ArrayList<>();
                MessageWriter request = new MessageWriter();
                socket.dump(
                        () -> {
                            found.clear();
                            request.begin(RTM_GETROUTE, MessageWriter.DUMP, socket.nextSequence());
                            request.u8(SocketAddress.domain(family))
                                    .u8(0)
                                    .u16(0)
                                    .u32(0)
                                    .u32(0);
                            request.end();
                        },
                        request,
                        "routes",
                        message -> ours(message).ifPresent(found::add));
                out.addAll(found);
            }
        }
        return out;
    }

    private static Optional<Cidr> ours(Message message) {
        boolean ours = message.length() >= RTMSG
                && message.u8(4) == RT_TABLE_LOCAL
                && message.u8(5) == PROTOCOL
                && message.u8(7) == RTN_LOCAL;
        return ours
                ? message.skip(RTMSG)
                        .find(RTA_DST)
                        .map(address -> new Cidr(IpAddress.of(address.copy()), message.u8(1)))
                : Optional.empty();
    }

    private static NetlinkSocket open() throws KernelException {
        return NetlinkSocket.open(NetlinkSocket.ROUTE, "rtnetlink", BUFFER);
    }

    private static void request(int type, int flags, Cidr block, String call)
            throws KernelException {
        try (NetlinkSocket socket = open()) {
            MessageWriter out = new MessageWriter();
            out.begin(type, flags | MessageWriter.ACK, socket.nextSequence());
            out.u8(SocketAddress.domain(block.family()))
                    .u8(block.prefix())
                    .u16(0)
                    .u8(RT_TABLE_LOCAL)
                    .u8(PROTOCOL)
                    .u8(block.family() == IpFamily.IPV4 ? RT_SCOPE_HOST : 0)
                    .u8(RTN_LOCAL)
                    .u32(0);
            out.attribute(RTA_DST, block.address().bytes());
            out.number32(RTA_OIF, LOOPBACK_INDEX);
            out.end();
            socket.acknowledged(out, call, block.toString());
        }
    }
}
