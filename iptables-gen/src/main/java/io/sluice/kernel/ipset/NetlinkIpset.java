package io.sluice.kernel.ipset;

import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.netlink.MessageWriter;
import io.sluice.kernel.netlink.NetlinkSocket;

/**
 * ipset of the caller's network namespace. One thread.
 *
 * <pre>
 *   nfgenmsg (4)    family:1 version:1 resource:2
 *   1 PROTOCOL:1    2 SETNAME
 * </pre>
 */
public final class NetlinkIpset implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;
    private static final int DESTROY = 6 << 8 | 3;
    /** Kernels from 2.6.39 on speak it, also those that speak 7 as well. */
    private static final int PROTOCOL = 6;
    /** ipset's own numbers begin behind 4096: a rule or another set refers to the set. */
    private static final int BUSY = 4100;

    private final NetlinkSocket socket;

    private NetlinkIpset(NetlinkSocket socket) {
        this.socket = socket;
    }

    public static NetlinkIpset open() throws KernelException {
        return new NetlinkIpset(NetlinkSocket.open(NetlinkSocket.NETFILTER, "ipset", BUFFER));
    }

    /** What became of a set. */
    public enum Outcome {
        GONE,
        NOT_THERE,
        IN_USE
    }

    /** Removes a set with its entries. A kernel without ipset has none. */
    public Outcome destroy(String name) throws KernelException {
        MessageWriter out = new MessageWriter();
        // Without EXCLUSIVE a set that is not there counts as destroyed.
        out.begin(DESTROY, MessageWriter.ACK | MessageWriter.EXCLUSIVE, socket.nextSequence());
        out.u8(0).u8(0).u16be(0);
        out.number8(1, PROTOCOL);
        out.text(2, name);
        out.end();
        try {
            socket.acknowledged(out, "destroy", "ipset " + name);
            return Outcome.GONE;
        } catch (KernelException e) {
            return switch (e.errno()) {
                // EINVAL: nobody serves this subsystem of nfnetlink.
                case Errno.ENOENT, Errno.EINVAL -> Outcome.NOT_THERE;
                case BUSY -> Outcome.IN_USE;
                default -> throw e;
            };
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
