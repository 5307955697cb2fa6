package io.sluice.dataplane.relay;

import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.relay.Copier.Outcome;
import io.sluice.endpoints.Backend;
import io.sluice.kernel.Epoll;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

import java.util.ArrayList;
import java.util.List;

/**
 * One TCP connection from a client to an endpoint. Owned by its loop.
 *
 * <pre>
 *   connecting ──fails, time-out──► connecting (next endpoint) ──none left──► closed, client reset
 *       │
 *   connected ──one side ends──► half closed ──other side ends──► closed
 *       └──────reset, error────────────────────────────────────► closed, other side reset
 * </pre>
 */
final class TcpRelay {
    private static final int MOST_ATTEMPTS = 16;
    private static final long DESCRIPTOR_WAIT_MS = 50;
    private static final int MOST_WAITS = 100;
    private static final int NONE = -1;

    private static final int ENDED = Epoll.RDHUP | Epoll.HUP | Epoll.ERR;

    private final RelayLoop loop;
    private final Admitted admitted;
    private final RelaySocket client;
    /** Failed, in turn; empty until one did. */
    private List<Backend> tried = List.of();

    private Backend backend;
    /** For the first attempt; then {@link #NONE}. */
    private int spare;

    private RelaySocket server;
    private Copier upstream;
    private Copier downstream;
    private int waits;
    private boolean connecting;
    private boolean closed;

    /** @param spare a socket to begin with */
    TcpRelay(RelayLoop loop, Admitted admitted, int clientFd, int spare) {
        this.loop = loop;
        this.admitted = admitted;
        this.spare = spare;
        this.client = new RelaySocket(clientFd, this::onClient, this::abort);
    }

    void start() {
        loop.add(this);
        admitted.runtime().counters().connections.increment();
        admitted.runtime().counters().open.increment();
        connect(admitted.order());
    }

    /** @param candidates the first that was not tried yet is asked */
    private void connect(List<Backend> candidates) {
        for (Backend candidate : candidates) {
            if (tried.size() >= MOST_ATTEMPTS) {
                break;
            }
            if (tried.isEmpty() || !tried.contains(candidate)) {
                switch (begin(candidate, tried.size() + 1 >= candidates.size())) {
                    case UNDER_WAY -> {
                        return;
                    }
                    case FAILED -> failed(candidate);
                    case NO_DESCRIPTOR -> {
                        if (++waits <= MOST_WAITS) {
                            loop.schedule(this::connectNext, DESCRIPTOR_WAIT_MS);
                            return;
                        }
                        failed(candidate);
                    }
                }
            }
        }
        admitted.runtime().counters().refused.increment();
        Sockets.resetOnClose(client.descriptor());
        close();
    }

    private void connectNext() {
        if (!closed) {
            admitted.runtime().counters().retried.increment();
            connect(admitted.again().get());
        }
    }

    private void failed(Backend candidate) {
        admitted.runtime().failed(candidate);
        tried = new ArrayList<>(tried);
        tried.add(candidate);
    }

    private enum Begun {
        UNDER_WAY,
        FAILED,
        NO_DESCRIPTOR
    }

    private Begun begin(Backend candidate, boolean last) {
        int fd;
        try {
            fd = takeSocket(candidate.address().family());
        } catch (KernelException e) {
            return e.isExhaustion() ? Begun.NO_DESCRIPTOR : Begun.FAILED;
        }
        int error = Sockets.connect(fd, candidate.address(), candidate.port());
        if (error != 0 && error != Errno.EINPROGRESS) {
            Sockets.close(fd);
            return Begun.FAILED;
        }
        server = new RelaySocket(fd, this::onServer, this::abort);
        if (!server.register(loop, RelaySocket.STREAM)) {
            server.close();
            return Begun.FAILED;
        }
        backend = candidate;
        connecting = true;
        loop.connectTimers().start(this, last);
        return Begun.UNDER_WAY;
    }

    private int takeSocket(IpFamily family) throws KernelException {
        if (spare == NONE) {
            return SpareSockets.open(family);
        }
        int first = spare;
        spare = NONE;
        return first;
    }

    /** It took too long, or was refused. */
    void onConnectFailure() {
        connecting = false;
        loop.connectTimers().stop(this);
        failed(backend);
        server.close();
        connectNext();
    }

    private void onServer(int ops) {
        if (connecting) {
            if ((ops & (Epoll.ERR | Epoll.HUP)) != 0) {
                onConnectFailure();
                return;
            }
            if ((ops & Epoll.OUT) == 0) {
                return;
            }
            if (!onConnected()) {
                abort();
                return;
            }
        }
        react(ops, downstream, upstream);
    }

    private boolean onConnected() {
        connecting = false;
        loop.connectTimers().stop(this);
        admitted.runtime().answered(backend);
        admitted.runtime().remember(admitted.peer(), backend, admitted.affinitySeconds());
        ServiceCounters counters = admitted.runtime().counters();
        upstream = new Copier(loop, client.descriptor(), server.descriptor(), counters.bytesIn);
        downstream = new Copier(loop, server.descriptor(), client.descriptor(), counters.bytesOut);
        return client.register(loop, RelaySocket.STREAM); // readiness until now is told at once
    }

    private void onClient(int ops) {
        react(ops, upstream, downstream);
    }

    /** @param reads the direction that reads from the socket @param writes the one that writes to it */
    private void react(int ops, Copier reads, Copier writes) {
        if ((ops & ENDED) != 0) {
            reads.onHangup();
        }
        if ((ops & (Epoll.IN | ENDED)) != 0) {
            reads.onReadable();
            pump(reads, writes);
        }
        if (!closed && (ops & (Epoll.OUT | Epoll.ERR)) != 0 && writes.hasWaiting()) {
            pump(writes, reads);
        }
    }

    private void pump(Copier direction, Copier opposite) {
        if (closed) {
            return;
        }
        Outcome outcome = direction.pump();
        switch (outcome) {
            case WAITING -> {}
            case AGAIN -> loop.execute(() -> pump(direction, opposite));
            case ENDED -> end(direction, opposite);
            case RECEIVER_GONE -> onReceiverGone(direction, opposite);
            case BROKEN -> abort();
        }
    }

    private void end(Copier direction, Copier opposite) {
        if (opposite.isFinished()) {
            close(); // which tells the receiver
        } else {
            direction.tellEnd();
        }
    }

    /** It was reset. What it sent before that still goes over; then the other side must not take the end for a proper one. */
    private void onReceiverGone(Copier direction, Copier opposite) {
        if (opposite.isFinished()) {
            abort();
        } else {
            opposite.endBroken();
            pump(opposite, direction);
        }
    }

    /** Ends both sides with a reset. */
    void abort() {
        if (!closed) {
            Sockets.resetOnClose(client.descriptor());
            if (server != null && !server.isClosed()) {
                Sockets.resetOnClose(server.descriptor());
            }
            close();
        }
    }

    private void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (connecting) {
            connecting = false;
            loop.connectTimers().stop(this);
        }
        if (upstream != null) {
            upstream.release();
            downstream.release();
        }
        client.close();
        if (spare != NONE) {
            Sockets.close(spare);
        }
        if (server != null) {
            server.close();
        }
        admitted.runtime().counters().open.decrement();
        loop.remove(this);
    }
}
