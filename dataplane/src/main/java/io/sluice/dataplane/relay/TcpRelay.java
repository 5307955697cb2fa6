package io.sluice.dataplane.relay;

import io.sluice.api.net.IpAddress;
import io.sluice.dataplane.relay.Copier.Outcome;
import io.sluice.endpoints.Backend;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

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
    private final RelayLoop loop;
    private final ServiceRuntime runtime;
    private final IpAddress peer;
    private final List<Backend> backends;
    private final int affinitySeconds;
    private final RelaySocket client;
    private RelaySocket server;
    private Copier upstream;
    private Copier downstream;
    private int attempt = -1;
    private boolean connecting;
    private boolean closed;

    /** @param backends whom to ask, in this order */
    TcpRelay(
            RelayLoop loop,
            ServiceRuntime runtime,
            int clientFd,
            IpAddress peer,
            List<Backend> backends,
            int affinitySeconds) {
        this.loop = loop;
        this.runtime = runtime;
        this.peer = peer;
        this.backends = backends;
        this.affinitySeconds = affinitySeconds;
        this.client = new RelaySocket(clientFd, this::onClient);
    }

    void start() {
        loop.add(this);
        runtime.counters().connections.increment();
        runtime.counters().open.increment();
        connectNext();
    }

    boolean isConnecting(int number) {
        return connecting && attempt == number && !closed;
    }

    private void connectNext() {
        while (++attempt < backends.size()) {
            if (attempt > 0) {
                runtime.counters().retried.increment();
            }
            if (connect(backends.get(attempt))) {
                return;
            }
            runtime.failed(backends.get(attempt));
        }
        runtime.counters().refused.increment();
        Sockets.resetOnClose(client.descriptor());
        close();
    }

    /** @return whether it is on its way */
    private boolean connect(Backend backend) {
        int fd;
        try {
            fd = Sockets.tcp(backend.address().family());
        } catch (KernelException e) {
            return false; // no descriptor, or no such family: the listener counts and says so
        }
        Sockets.noDelay(fd);
        Sockets.keepAlive(fd);
        int error = Sockets.connect(fd, backend.address(), backend.port());
        if (error != 0 && error != io.sluice.kernel.Errno.EINPROGRESS) {
            Sockets.close(fd);
            return false;
        }
        connecting = true;
        server = new RelaySocket(fd, this::onServer);
        server.register(loop, RelaySocket.STREAM);
        loop.connectTimers().start(this, attempt, attempt == backends.size() - 1);
        return true;
    }

    void onConnectTimeout(int number) {
        if (isConnecting(number)) {
            onConnectFailure();
        }
    }

    private void onConnectFailure() {
        connecting = false;
        runtime.failed(backends.get(attempt));
        server.close();
        connectNext();
    }

    private void onServer(int ops) {
        if (connecting) {
            if ((ops & (RelaySocket.ERR | RelaySocket.HUP)) != 0) {
                onConnectFailure();
                return;
            }
            if ((ops & RelaySocket.OUT) == 0) {
                return;
            }
            onConnected();
        }
        react(ops, downstream, upstream);
    }

    private void onConnected() {
        connecting = false;
        runtime.connected(peer, backends.get(attempt), affinitySeconds);
        ServiceCounters counters = runtime.counters();
        upstream = new Copier(loop, client.descriptor(), server.descriptor(), counters.bytesIn);
        downstream = new Copier(loop, server.descriptor(), client.descriptor(), counters.bytesOut);
        client.register(loop, RelaySocket.STREAM); // readiness until now is told at once
    }

    private void onClient(int ops) {
        react(ops, upstream, downstream);
    }

    /** @param reads the direction that reads from the socket @param writes the one that writes to it */
    private void react(int ops, Copier reads, Copier writes) {
        int end = RelaySocket.RDHUP | RelaySocket.HUP | RelaySocket.ERR;
        if ((ops & end) != 0) {
            reads.onHangup();
        }
        if ((ops & (RelaySocket.IN | end)) != 0) {
            reads.onReadable();
            pump(reads);
        }
        if (!closed && (ops & (RelaySocket.OUT | RelaySocket.ERR)) != 0 && writes.hasWaiting()) {
            pump(writes);
        }
    }

    private void pump(Copier direction) {
        if (closed) {
            return;
        }
        Outcome outcome = direction.pump();
        switch (outcome) {
            case WAITING -> {}
            case AGAIN -> loop.execute(() -> pump(direction));
            case FINISHED -> {
                if (upstream.isFinished() && downstream.isFinished()) {
                    close();
                }
            }
            case BROKEN -> abort();
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
        connecting = false;
        if (upstream != null) {
            upstream.release();
            downstream.release();
        }
        client.close();
        if (server != null) {
            server.close();
        }
        runtime.counters().open.decrement();
        loop.remove(this);
    }
}
