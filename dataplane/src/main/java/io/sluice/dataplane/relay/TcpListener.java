package io.sluice.dataplane.relay;

import io.netty.channel.epoll.EpollIoOps;
import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Decision;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Accepts TCP connections of one frontend at one address. */
final class TcpListener implements Listener {
    private static final int BACKLOG = 4096;
    private static final int ACCEPTS_PER_TURN = 32;
    private static final long PAUSE_MS = 50;

    private final RelayLoop loop;
    private final Supplier<RelayLoop> leastLoaded;
    private final Supplier<SourceClassifier> classifier;
    private final LongAdder exhausted;
    private final RelaySocket socket;
    private volatile State state;

    /** What a connection needs to know, changed as one. */
    private record State(Claim claim, ServiceRuntime runtime) {}

    private TcpListener(
            RelayLoop loop,
            Supplier<RelayLoop> leastLoaded,
            Supplier<SourceClassifier> classifier,
            LongAdder exhausted,
            int fd) {
        this.loop = loop;
        this.leastLoaded = leastLoaded;
        this.classifier = classifier;
        this.exhausted = exhausted;
        this.socket = new RelaySocket(fd, ops -> accept());
    }

    /** Binds; takes connections from {@link #open} on. @param exhausted counts pauses for want of descriptors */
    static TcpListener bind(
            RelayLoop loop,
            Supplier<RelayLoop> leastLoaded,
            Supplier<SourceClassifier> classifier,
            LongAdder exhausted,
            int fd,
            IpAddress address,
            int port)
            throws KernelException {
        Sockets.noDelay(fd); // accepted sockets inherit both
        Sockets.keepAlive(fd);
        Sockets.listenTcp(fd, address, port, BACKLOG);
        return new TcpListener(loop, leastLoaded, classifier, exhausted, fd);
    }

    void open() {
        loop.execute(() -> {
            if (!socket.isClosed()) {
                socket.register(loop, RelaySocket.READ);
            }
        });
    }

    @Override
    public void claim(Claim claim, ServiceRuntime runtime) {
        state = new State(claim, runtime);
    }

    @Override
    public void keepFlowsTo(List<Backend> serving) {}

    @Override
    public int descriptor() {
        return socket.descriptor();
    }

    @Override
    public void close() {
        loop.execute(socket::close);
    }

    private void accept() {
        for (int i = 0; i < ACCEPTS_PER_TURN && !socket.isClosed(); i++) {
            int fd = Sockets.accept(socket.descriptor());
            if (fd >= 0) {
                begin(fd, Sockets.peer());
            } else if (fd == -Errno.EMFILE
                    || fd == -Errno.ENFILE
                    || fd == -Errno.ENOBUFS
                    || fd == -Errno.ENOMEM) {
                pause();
                return;
            } else if (fd != -Errno.ECONNABORTED && fd != -Errno.EINTR) {
                return; // EAGAIN: nobody waits any more
            }
        }
    }

    /** Out of descriptors: those who wait in the backlog are taken as soon as some are free. */
    private void pause() {
        exhausted.increment();
        socket.interest(EpollIoOps.NONE);
        loop.schedule(() -> socket.interest(RelaySocket.READ), PAUSE_MS);
    }

    private void begin(int fd, IpAddress peer) {
        State now = state;
        ServicePortImage port = now.claim().port();
        Decision decision = Decision.of(
                port, now.claim().frontend().kind(), classifier.get().of(peer), peer);
        switch (decision) {
            case Decision.Forward forward -> {
                List<Backend> order =
                        now.runtime().order(forward.backends(), peer, port.affinitySeconds());
                hand(fd, peer, order, now);
            }
            case Decision.Reject reject -> refuse(fd, now.runtime());
            case Decision.Drop drop -> refuse(fd, now.runtime());
        }
    }

    /** The endpoints went away between the client's SYN and now. */
    private static void refuse(int fd, ServiceRuntime runtime) {
        runtime.counters().dropped.increment();
        Sockets.resetOnClose(fd);
        Sockets.close(fd);
    }

    private void hand(int fd, IpAddress peer, List<Backend> order, State now) {
        int affinity = now.claim().port().affinitySeconds();
        RelayLoop other = leastLoaded.get();
        // Moving a connection costs a wake-up, so it stays unless the loops are uneven.
        if (other != loop && loop.load() > other.load() + 8 + other.load() / 4) {
            other.execute(
                    () -> new TcpRelay(other, now.runtime(), fd, peer, order, affinity).start());
        } else {
            new TcpRelay(loop, now.runtime(), fd, peer, order, affinity).start();
        }
    }
}
