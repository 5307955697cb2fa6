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
    /** The kernel's {@code nf_conntrack_udp_timeout}: for a question and its answer. */
    static final long SHORT_NANOS = 30_000_000_000L;
    /** The kernel's {@code nf_conntrack_udp_timeout_stream}: for those who talk longer. */
    static final long STREAM_NANOS = 120_000_000_000L;

    /** An answer so long after the beginning makes a stream, as for the kernel. */
    private static final long STREAM_AFTER_NANOS = 2_000_000_000L;

    private static final int DATAGRAMS_PER_TURN = 64;

    private final RelayLoop loop;
    private final ServiceRuntime runtime;
    private final Backend backend;
    private final Replies replies;
    private final Consumer<UdpFlow> onBroken;
    private final RelaySocket socket;
    private final long begunAt = System.nanoTime();
    private long usedAt = begunAt;
    private boolean replied;
    private boolean streaming;

    /** Takes answers to the client. */
    @FunctionalInterface
    interface Replies {
        void send(DatagramBuffer datagram, long length);
    }

    private UdpFlow(
            RelayLoop loop,
            ServiceRuntime runtime,
            Backend backend,
            Replies replies,
            Consumer<UdpFlow> onBroken,
            int fd) {
        this.loop = loop;
        this.runtime = runtime;
        this.backend = backend;
        this.replies = replies;
        this.onBroken = onBroken;
        this.socket = new RelaySocket(fd, ops -> receive(), () -> onBroken.accept(this));
    }

    /**
     * Empty where the endpoint cannot be reached from here at all.
     *
     * @param onBroken the endpoint has nobody listening
     * @throws KernelException where no descriptor is left
     */
    static Optional<UdpFlow> connect(
            RelayLoop loop,
            ServiceRuntime runtime,
            Backend backend,
            Replies replies,
            Consumer<UdpFlow> onBroken)
            throws KernelException {
        int fd = Sockets.udp(backend.address().family());
        UdpFlow flow = new UdpFlow(loop, runtime, backend, replies, onBroken, fd);
        if (Sockets.connect(fd, backend.address(), backend.port()) != 0
                || !flow.socket.register(loop, RelaySocket.READ)) {
            flow.socket.close();
            return Optional.empty();
        }
        runtime.counters().connections.increment();
        runtime.counters().open.increment();
        return Optional.of(flow);
    }

    Backend backend() {
        return backend;
    }

    /** @return false where the endpoint told that nobody listens */
    boolean send(long data, long length) {
        usedAt = System.nanoTime();
        long n = Sockets.write(socket.descriptor(), data, length);
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
                onBroken.accept(this);
                return;
            }
            onReply();
            runtime.counters().bytesOut.add(length);
            replies.send(datagram, length);
        }
    }

    private void onReply() {
        usedAt = System.nanoTime();
        if (!replied) {
            replied = true;
            runtime.answered(backend);
        }
        streaming |= usedAt - begunAt > STREAM_AFTER_NANOS;
    }

    long idleNanos(long now) {
        return now - usedAt;
    }

    boolean isIdle(long now) {
        return idleNanos(now) >= (streaming ? STREAM_NANOS : SHORT_NANOS);
    }

    void close() {
        if (!socket.isClosed()) {
            socket.close();
            runtime.counters().open.decrement();
        }
    }
}
