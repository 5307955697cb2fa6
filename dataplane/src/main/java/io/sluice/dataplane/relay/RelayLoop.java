package io.sluice.dataplane.relay;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.sluice.kernel.DatagramBuffer;
import io.sluice.kernel.NativeBuffer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One of Netty's loops with what its connections share. State, owned by the loop's thread; counts may be read by any. */
final class RelayLoop {
    static final int BUFFER = 128 * 1024;
    private static final int SMALL_BUFFER = 16 * 1024;
    private static final int MOST_IDLE_BUFFERS = 64;

    private final IoEventLoop loop;
    private final NativeBuffer buffer = new NativeBuffer(BUFFER);
    private final Deque<NativeBuffer> smallBuffers = new ArrayDeque<>();
    private final Deque<NativeBuffer> largeBuffers = new ArrayDeque<>();
    private final PipePool pipes = new PipePool();
    private final Set<TcpRelay> relays = new HashSet<>();
    private final ConnectTimers connectTimers = new ConnectTimers(this);
    private final AtomicInteger load = new AtomicInteger();
    private DatagramBuffer datagram;

    RelayLoop(IoEventLoop loop) {
        this.loop = loop;
    }

    /** Every byte that is copied goes through here. */
    NativeBuffer buffer() {
        return buffer;
    }

    /** As above for datagrams; made at the first use. */
    DatagramBuffer datagram() {
        if (datagram == null) {
            datagram = new DatagramBuffer();
        }
        return datagram;
    }

    /** A buffer for what a receiver does not take yet; small or large. */
    NativeBuffer takeBuffer(int bytes) {
        boolean small = bytes <= SMALL_BUFFER;
        NativeBuffer idle = (small ? smallBuffers : largeBuffers).poll();
        return idle != null ? idle : new NativeBuffer(small ? SMALL_BUFFER : BUFFER);
    }

    void giveBuffer(NativeBuffer given) {
        Deque<NativeBuffer> idle = given.capacity() == SMALL_BUFFER ? smallBuffers : largeBuffers;
        if (idle.size() < MOST_IDLE_BUFFERS) {
            idle.push(given);
        }
    }

    PipePool pipes() {
        return pipes;
    }

    ConnectTimers connectTimers() {
        return connectTimers;
    }

    IoRegistration register(RelaySocket socket) {
        IoRegistration registration = loop.register(socket).getNow();
        if (registration == null) {
            throw new IllegalStateException(
                    "descriptor " + socket.descriptor() + " could not be put on its loop");
        }
        return registration;
    }

    void execute(Runnable task) {
        loop.execute(task);
    }

    void schedule(Runnable task, long delayMs) {
        loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    }

    /** Waits until the loop has done all it was told before. */
    void barrier() {
        if (!loop.inEventLoop()) {
            loop.submit(() -> {}).syncUninterruptibly();
        }
    }

    void add(TcpRelay relay) {
        relays.add(relay);
        load.incrementAndGet();
    }

    void remove(TcpRelay relay) {
        if (relays.remove(relay)) {
            load.decrementAndGet();
        }
    }

    /** Open connections. */
    int load() {
        return load.get();
    }

    /** Ends everything at once; on the loop's thread. */
    void abortAll() {
        Set.copyOf(relays).forEach(TcpRelay::abort);
        pipes.close();
    }
}
