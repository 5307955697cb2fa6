package io.sluice.dataplane.relay;

import io.sluice.kernel.Epoll;
import io.sluice.kernel.Sockets;

/** One of our descriptors, on a loop once it is registered. Owned by its loop's thread. */
final class RelaySocket {
    /** Both ways, told once per change: what connections use, so that interest never changes. */
    static final int STREAM = Epoll.IN | Epoll.OUT | Epoll.RDHUP | Epoll.EDGE;
    /** Told as long as something is there to read. */
    static final int READ = Epoll.IN;
    /** Nothing but errors. */
    static final int NONE = 0;

    /** Hears of readiness. */
    @FunctionalInterface
    interface Listener {
        /** @param ops bits of {@link Epoll} */
        void onReady(int ops);
    }

    private final int fd;
    private final Listener listener;
    private final Runnable onFault;
    private RelayLoop loop;
    private boolean closed;

    /** @param onFault the listener failed by a bug: brings its object to an end, or to rest */
    RelaySocket(int fd, Listener listener, Runnable onFault) {
        this.fd = fd;
        this.listener = listener;
        this.onFault = onFault;
    }

    int descriptor() {
        return fd;
    }

    boolean isClosed() {
        return closed;
    }

    /** Starts to listen; on the loop's thread. @return false where the kernel has no room to watch it */
    boolean register(RelayLoop on, int ops) {
        if (!on.watch(this, ops)) {
            return false;
        }
        loop = on;
        return true;
    }

    void interest(int ops) {
        if (loop != null && !closed) {
            loop.changeWatch(this, ops);
        }
    }

    void onReady(int ops) {
        if (!closed) {
            listener.onReady(ops);
        }
    }

    void onFault() {
        if (!closed) {
            onFault.run();
        }
    }

    /** Hears nothing for a while. */
    void rest(long milliseconds) {
        RelayLoop on = loop;
        if (on != null) {
            interest(NONE);
            on.schedule(() -> interest(READ), milliseconds);
        }
    }

    void close() {
        if (!closed) {
            closed = true;
            if (loop != null) {
                loop.close(this);
            } else {
                Sockets.close(fd);
            }
        }
    }
}
