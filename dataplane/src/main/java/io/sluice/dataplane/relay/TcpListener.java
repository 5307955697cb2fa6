package io.sluice.dataplane.relay;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Decision;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

import java.util.List;
import java.util.function.Supplier;

/** Accepts TCP connections of one frontend at one address. */
final class TcpListener implements Listener {
    private static final int BACKLOG = 4096;
    private static final int ACCEPTS_PER_TURN = 32;
    private static final long PAUSE_MS = 50;

    private final RelayLoop loop;
    private final Supplier<RelayLoop> leastLoaded;
    private final Supplier<SourceClassifier> classifier;
    private final Exhaustion exhausted;
    private final RelaySocket socket;
    private volatile State state;
    private volatile boolean stopped;

    /** What a connection needs to know, changed as one. */
    private record State(Claim claim, ServiceRuntime runtime) {}

    private TcpListener(
            RelayLoop loop,
            Supplier<RelayLoop> leastLoaded,
            Supplier<SourceClassifier> classifier,
            Exhaustion exhausted,
            int fd) {
        this.loop = loop;
        this.leastLoaded = leastLoaded;
        this.classifier = classifier;
        this.exhausted = exhausted;
        this.socket = new RelaySocket(fd, ops -> accept(), this::rest);
    }

    /** Binds; takes connections from {@link #open} on. @param exhausted counts pauses for want of descriptors */
    static TcpListener bind(
            RelayLoop loop,
            Supplier<RelayLoop> leastLoaded,
            Supplier<SourceClassifier> classifier,
            Exhaustion exhausted,
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
    public void sharePort() throws KernelException {
        Sockets.sharePort(socket.descriptor());
    }

    @Override
    public int descriptor() {
        return socket.descriptor();
    }

    @Override
    public void close() {
        stopped = true;
        loop.execute(socket::close);
    }

    private void accept() {
        IpFamily family = state.claim().port().name().family();
        for (int i = 0; i < ACCEPTS_PER_TURN && !socket.isClosed(); i++) {
            if (!loop.spares().ensure(family)) {
                pause();
                return;
            }
            int fd = Sockets.accept(socket.descriptor());
            if (fd >= 0) {
                begin(fd, Sockets.peer());
            } else if (Errno.isExhaustion(-fd)) {
                pause();
                return;
            } else if (fd != -Errno.ECONNABORTED && fd != -Errno.EINTR) {
                return; // EAGAIN: nobody waits any more
            }
        }
    }

    /** Out of descriptors: those who wait in the backlog are taken as soon as some are free. */
    private void pause() {
        exhausted.met();
        rest();
    }

    private void rest() {
        socket.rest(PAUSE_MS);
    }

    private void begin(int fd, IpAddress peer) {
        State now = state;
        switch (decide(now, peer)) {
            case Decision.Forward forward -> hand(fd, admit(now, peer, forward.backends()));
            case Decision.Reject reject -> refuse(fd, now.runtime());
            case Decision.Drop drop -> refuse(fd, now.runtime());
        }
    }

    private Decision decide(State now, IpAddress peer) {
        Frontend frontend = now.claim().frontend();
        SourceClassifier sources = classifier.get();
        IpAddress source = sources.seen(peer, frontend.address());
        return Decision.of(now.claim().port(), frontend.kind(), sources.of(source), source);
    }

    private Admitted admit(State now, IpAddress peer, List<Backend> candidates) {
        int affinity = now.claim().port().affinitySeconds();
        List<Backend> order = now.runtime().order(candidates, peer, affinity);
        return new Admitted(now.runtime(), peer, affinity, order, () -> again(peer));
    }

    private List<Backend> again(IpAddress peer) {
        State now = state;
        return !stopped && decide(now, peer) instanceof Decision.Forward forward
                ? now.runtime()
                        .order(forward.backends(), peer, now.claim().port().affinitySeconds())
                : List.of();
    }

    /** The endpoints went away between the client's SYN and now. */
    private static void refuse(int fd, ServiceRuntime runtime) {
        runtime.counters().dropped.increment();
        Sockets.resetOnClose(fd);
        Sockets.close(fd);
    }

    private void hand(int fd, Admitted admitted) {
        RelayLoop other = leastLoaded.get();
        int spare = loop.spares().take(state.claim().port().name().family());
        // Moving a connection costs a wake-up, so it stays unless the loops are uneven.
        if (other != loop && loop.load() > other.load() + 1 + other.load() / 4) {
            other.execute(() -> new TcpRelay(other, admitted, fd, spare).start());
        } else {
            new TcpRelay(loop, admitted, fd, spare).start();
        }
    }
}
