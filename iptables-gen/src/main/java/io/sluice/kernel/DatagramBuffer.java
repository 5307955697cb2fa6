package io.sluice.kernel;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

/**
 * Native memory to receive one datagram with its two addresses, and to answer from the address it came to. Used by one thread.
 *
 * <pre>
 *   msghdr (56)  name:8 namelen:4 pad:4 iov:8 iovlen:8 control:8 controllen:8 flags:4 pad:4
 *   cmsghdr (16) len:8 level:4 type:4, then in_pktinfo (12) ifindex:4 spec_dst:4 addr:4
 *                                      or in6_pktinfo (20) addr:16 ifindex:4
 * </pre>
 */
public final class DatagramBuffer {
    /** The largest datagram IP can carry. */
    public static final int CAPACITY = 65_536;

    private static final int CONTROL_SIZE = 64;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IP_PKTINFO = 8;
    private static final int IPV6_PKTINFO = 50;
    private static final int MSG_NOSIGNAL = 0x4000;

    private final SocketAddress name = new SocketAddress();
    private final Pointer header = Memory.allocateDirect(LibC.RUNTIME, 56);
    private final Pointer vector = Memory.allocateDirect(LibC.RUNTIME, 16);
    private final Pointer control = Memory.allocateDirect(LibC.RUNTIME, CONTROL_SIZE);
    private final Pointer data = Memory.allocateDirect(LibC.RUNTIME, CAPACITY);

    public DatagramBuffer() {
        header.putLong(0, name.memory().address());
        header.putLong(16, vector.address());
        header.putLong(24, 1);
        vector.putLong(0, data.address());
    }

    /** Address of the bytes. */
    public long data() {
        return data.address();
    }

    /** @return length of the datagram, or minus errno */
    public long receive(int fd) {
        vector.putLong(8, CAPACITY);
        header.putInt(8, SocketAddress.SIZE);
        header.putLong(32, control.address());
        header.putLong(40, CONTROL_SIZE);
        long n = LibC.INSTANCE.recvmsg(fd, header, 0);
        return n < 0 ? -LibC.errno() : n;
    }

    /** Who sent it. */
    public IpAddress source() {
        return name.address();
    }

    public int sourcePort() {
        return name.port();
    }

    /** To which of our addresses; the socket's family's unspecified address where the kernel did not say. */
    public IpAddress destination() {
        boolean v6 = name.address().family() == IpFamily.IPV6;
        if (header.getLong(40) < 16) {
            return new IpAddress(v6 ? IpFamily.IPV6 : IpFamily.IPV4, 0, 0);
        }
        if (control.getInt(8) == IPPROTO_IPV6) {
            return new IpAddress(
                    IpFamily.IPV6,
                    SocketAddress.bigEndianLong(control, 16),
                    SocketAddress.bigEndianLong(control, 24));
        }
        return new IpAddress(
                IpFamily.IPV4, 0, SocketAddress.bigEndianInt(control, 24) & 0xffffffffL);
    }

    /** Sends the first bytes of the buffer. @param from one of our addresses @return bytes sent, or minus errno */
    public long send(int fd, long length, IpAddress from, IpAddress to, int toPort) {
        name.set(to, toPort);
        vector.putLong(8, length);
        header.putInt(8, name.length());
        if (from.isUnspecified()) {
            header.putLong(32, 0);
            header.putLong(40, 0);
        } else {
            putSource(from);
        }
        long n = LibC.INSTANCE.sendmsg(fd, header, MSG_NOSIGNAL);
        return n < 0 ? -LibC.errno() : n;
    }

    private void putSource(IpAddress from) {
        boolean v4 = from.family() == IpFamily.IPV4;
        control.putLong(0, v4 ? 28 : 36);
        control.putInt(8, v4 ? 0 : IPPROTO_IPV6);
        control.putInt(12, v4 ? IP_PKTINFO : IPV6_PKTINFO);
        if (v4) {
            control.putInt(16, 0);
            SocketAddress.putBigEndianInt(control, 20, (int) from.low());
            control.putInt(24, 0);
        } else {
            SocketAddress.putBigEndianLong(control, 16, from.high());
            SocketAddress.putBigEndianLong(control, 24, from.low());
            control.putInt(32, 0);
        }
        header.putLong(32, control.address());
        header.putLong(40, v4 ? 32 : 40);
    }
}
