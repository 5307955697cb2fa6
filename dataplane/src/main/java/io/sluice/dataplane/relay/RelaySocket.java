package io.sluice.dataplane.relay;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.kernel.Sockets;

/** One of our descriptors on a Netty loop. Owned by its loop's thread. */
final class RelaySocket implements EpollIoHandle {
    static final int IN = 0x001;
    static final int OUT = 0x004;
    static final int ERR = 0x008;
    static final int HUP = 0x010;
    static final int RDHUP = 0x2000;
    private static final int EDGE = 1 << 31;

    /** Both ways, told once per change: what connections use, so that interest never changes. */
    static final EpollIoOps STREAM = EpollIoOps.valueOf(IN | OUT | RDHUP | EDGE);
    /** Told as long as something is there to read. */
    static final EpollIoOps READ = EpollIoOps.valueOf(IN);

    /** Hears of readiness. */
    @FunctionalInterface
    interface Listener {
        /** @param ops bits of {@code IN}, {@code OUT}, {@code ERR}, {@code HUP}, {@code RDHUP} */
        void onReady(int ops);
    }

    private final int fd;
    private final FileDescriptor descriptor;
    private final Listener listener;
    private IoRegistration registration;
    private boolean closed;

    RelaySocket(int fd, Listener listener) {
        this.fd = fd;
        this.descriptor = new FileDescriptor(fd);
        this.listener = listener;
    }

    int descriptor() {
        return fd;
    }

    boolean isClosed() {
        return closed;
    }

    /** Starts to listen; on the loop's thread. */
    void register(RelayLoop loop, EpollIoOps ops) {
        registration = loop.register(this);
        registration.submit(ops);
    }

    void interest(EpollIoOps ops) {
        if (registration != null && !closed) {
            registration.submit(ops);
        }
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(IoRegistration from, IoEvent event) {
        if (!closed && event instanceof EpollIoEvent epoll) {
            listener.onReady(epoll.ops().value());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (registration != null) {
                registration.cancel();
            }
            Sockets.close(fd);
        }
    }
}
