package io.sluice.dataplane.relay;

import io.sluice.endpoints.Backend;
import io.sluice.kernel.DatagramBuffer;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

import java.util.Optional;
import java.util.function.Consumer;

/** One UDP client and its endpoint. Owned by its loop. */
final class UdpFlow {
    /** The kernel's {@code nf_conntrack_udp_timeout}, before an answer was seen. */
    static final long UNREPLIED_NANOS = 30_000_000_000L;
    /** The kernel's {@code nf_conntrack_udp_timeout_stream}, after that. */
    static final long STREAM_NANOS = 120_000_000_000L;

    private static final int DATAGRAMS_PER_TURN = 64;

    private final RelayLoop loop;
    private final ServiceCounters counters;
    private final Backend backend;
    private final Replies replies;
    private final Consumer<UdpFlow> onBroken;
    private final RelaySocket socket;
    private long usedAt = System.nanoTime();
    private boolean replied;

    /** Takes answers to the client. */
    @FunctionalInterface
    interface Replies {
        void send(DatagramBuffer datagram, long length);
    }

    private UdpFlow(
            RelayLoop loop,
            ServiceCounters counters,
            Backend backend,
            Replies replies,
            Consumer<UdpFlow> onBroken,
            int fd) {
        this.loop = loop;
        this.counters = counters;
        this.backend = backend;
        this.replies = replies;
        this.onBroken = onBroken;
        this.socket = new RelaySocket(fd, ops -> receive());
    }

    /** Empty where the endpoint cannot be reached from here at all. @param onBroken the endpoint has nobody listening */
    static Optional<UdpFlow> connect(
            RelayLoop loop,
            ServiceCounters counters,
            Backend backend,
            Replies replies,
            Consumer<UdpFlow> onBroken) {
        try {
            int fd = Sockets.udp(backend.address().family());
            if (Sockets.connect(fd, backend.address(), backend.port()) != 0) {
                Sockets.close(fd);
                return Optional.empty();
            }
            UdpFlow flow = new UdpFlow(loop, counters, backend, replies, onBroken, fd);
            flow.socket.register(loop, RelaySocket.READ);
            counters.connections.increment();
            counters.open.increment();
            return Optional.of(flow);
        } catch (KernelException e) {
            return Optional.empty();
        }
    }

    Backend backend() {
        return backend;
    }

    /** @return false where the endpoint told that nobody listens */
    boolean send(long data, long length) {
        usedAt = System.nanoTime();
        long n = Sockets.write(socket.descriptor(), data, length);
        if (n == -Errno.ECONNREFUSED) {
            n = Sockets.write(
                    socket.descriptor(),
                    data,
                    length); // that was the answer to an earlier datagram
        }
        return n >= 0 || n == -Errno.EAGAIN || n == -Errno.ENOBUFS;
    }

    private void receive() {
        DatagramBuffer datagram = loop.datagram();
        for (int i = 0; i < DATAGRAMS_PER_TURN && !socket.isClosed(); i++) {
            long length =
                    Sockets.receive(socket.descriptor(), datagram.data(), DatagramBuffer.CAPACITY);
            if (length == -Errno.EAGAIN) {
                return;
            }
            if (length < 0) {
                onBroken.accept(
                        this); // the client's next datagram begins anew, with another endpoint if
                // there is one
                return;
            }
            usedAt = System.nanoTime();
            replied = true;
            counters.bytesOut.add(length);
            replies.send(datagram, length);
        }
    }

    long idleNanos(long now) {
        return now - usedAt;
    }

    boolean isIdle(long now) {
        return idleNanos(now) >= (replied ? STREAM_NANOS : UNREPLIED_NANOS);
    }

    void close() {
        if (!socket.isClosed()) {
            socket.close();
            counters.open.decrement();
        }
    }
}
