package io.sluice.dataplane.relay;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.kernel.Epoll;

/** A whole epoll set as one descriptor of Netty's loop. */
final class EpollSetHandle implements EpollIoHandle {
    private final FileDescriptor descriptor;
    private final Runnable onReady;

    private EpollSetHandle(Epoll epoll, Runnable onReady) {
        this.descriptor = new FileDescriptor(epoll.descriptor());
        this.onReady = onReady;
    }

    /** Waits until it is done. @param onReady called on the loop's thread as long as something in the set is ready */
    static void register(IoEventLoop loop, Epoll epoll, Runnable onReady) {
        loop.register(new EpollSetHandle(epoll, onReady))
                .syncUninterruptibly()
                .getNow()
                .submit(EpollIoOps.EPOLLIN);
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        onReady.run();
    }

    @Override
    public void close() {
        // The set's owner closes it.
    }
}
