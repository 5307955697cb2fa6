package io.sluice.kernel;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

/**
 * Routes that make address blocks local to this node, over rtnetlink (RFC 3549, {@code include/uapi/linux/rtnetlink.h}). Opens a socket
 * for each call: they are rare.
 *
 * <pre>
 *   nlmsghdr (16) len:4 type:2 flags:2 seq:4 pid:4
 *   rtmsg (12)    family:1 dst_len:1 src_len:1 tos:1 table:1 protocol:1 scope:1 type:1 flags:4
 *   rtattr        len:2 type:2 value
 * </pre>
 */
public final class RouteNetlink {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_ROUTE = 0;
    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_DELROUTE = 25;
    private static final int REQUEST_ACK = 1 | 4;
    /** Not {@code NLM_F_REPLACE}, which would take over the entry of an interface that has the address. */
    private static final int CREATE_EXCLUSIVE = 0x400 | 0x200;

    private static final int RT_TABLE_LOCAL = 255;
    private static final int RTPROT_STATIC = 4;
    private static final int RT_SCOPE_HOST = 254;
    private static final int RTN_LOCAL = 2;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    /** The loopback device is always the first of its namespace. */
    private static final int LOOPBACK_INDEX = 1;

    private RouteNetlink() {}

    /** {@code ip route add local BLOCK dev lo table local}; one that is there already is fine. */
    public static void addLocal(Cidr block) throws KernelException {
        try {
            request(RTM_NEWROUTE, REQUEST_ACK | CREATE_EXCLUSIVE, block, "add local route");
        } catch (KernelException e) {
            if (e.errno() != Errno.EEXIST) {
                throw e;
            }
        }
    }

    /** Takes it away; one that is gone already is fine. */
    public static void deleteLocal(Cidr block) throws KernelException {
        try {
            request(RTM_DELROUTE, REQUEST_ACK, block, "delete local route");
        } catch (KernelException e) {
            if (e.errno() != Errno.ESRCH) {
                throw e;
            }
        }
    }

    private static void request(int type, int flags, Cidr block, String call)
            throws KernelException {
        int fd = LibC.INSTANCE.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_ROUTE);
        if (fd < 0) {
            throw new KernelException("open", "rtnetlink socket", LibC.errno());
        }
        Descriptors.opened(fd);
        try {
            Pointer message = Memory.allocateDirect(LibC.RUNTIME, 1024);
            int length = write(message, type, flags, block);
            if (LibC.INSTANCE.send(fd, message.address(), length, 0) < 0) {
                throw new KernelException(call, block.toString(), LibC.errno());
            }
            long n = LibC.INSTANCE.recv(fd, message.address(), 1024, 0);
            if (n < 20) {
                throw new KernelException(
                        call, block.toString(), n < 0 ? LibC.errno() : Errno.EINVAL);
            }
            int error = -message.getInt(16);
            if (error != 0) {
                throw new KernelException(call, block.toString(), error);
            }
        } finally {
            Sockets.close(fd);
        }
    }

    private static int write(Pointer out, int type, int flags, Cidr block) {
        byte[] address = block.address().bytes();
        int length = 16 + 12 + 4 + address.length + 8;
        out.putInt(0, length);
        out.putShort(4, (short) type);
        out.putShort(6, (short) flags);
        out.putInt(8, 1);
        out.putInt(12, 0);
        out.putByte(16, (byte) SocketAddress.domain(block.family()));
        out.putByte(17, (byte) block.prefix());
        out.putShort(18, (short) 0);
        out.putByte(20, (byte) RT_TABLE_LOCAL);
        out.putByte(21, (byte) RTPROT_STATIC);
        out.putByte(22, (byte) (block.family() == IpFamily.IPV4 ? RT_SCOPE_HOST : 0));
        out.putByte(23, (byte) RTN_LOCAL);
        out.putInt(24, 0);
        out.putShort(28, (short) (4 + address.length));
        out.putShort(30, (short) RTA_DST);
        out.put(32, address, 0, address.length);
        int next = 32 + address.length;
        out.putShort(next, (short) 8);
        out.putShort(next + 2, (short) RTA_OIF);
        out.putInt(next + 4, LOOPBACK_INDEX);
        return length;
    }
}
