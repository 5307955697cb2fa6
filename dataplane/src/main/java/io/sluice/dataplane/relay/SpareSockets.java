package io.sluice.dataplane.relay;

import io.sluice.api.net.IpFamily;
import io.sluice.kernel.Descriptors;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

/**
 * Keeps the next connection's socket towards its endpoint ready, so that a client is accepted only when there is a descriptor for its
 * endpoint too: until then it waits in the backlog. The last descriptors are left to the rest of the process, which has an API server
 * to watch and health checks to answer. State, owned by its loop.
 */
final class SpareSockets {
    private static final int NONE = -1;

    private final int[] byFamily = {NONE, NONE};

    /** @return false where there is none and no descriptor for one */
    boolean ensure(IpFamily family) {
        if (Descriptors.open() > Descriptors.budget()) {
            return false;
        }
        if (byFamily[family.ordinal()] == NONE) {
            try {
                byFamily[family.ordinal()] = open(family);
            } catch (KernelException e) {
                return false;
            }
        }
        return true;
    }

    /** After {@link #ensure}. */
    int take(IpFamily family) {
        int spare = byFamily[family.ordinal()];
        byFamily[family.ordinal()] = NONE;
        return spare;
    }

    static int open(IpFamily family) throws KernelException {
        int fd = Sockets.tcp(family);
        Sockets.noDelay(fd);
        Sockets.keepAlive(fd);
        return fd;
    }

    void close() {
        for (int i = 0; i < byFamily.length; i++) {
            if (byFamily[i] != NONE) {
                Sockets.close(byFamily[i]);
                byFamily[i] = NONE;
            }
        }
    }
}
