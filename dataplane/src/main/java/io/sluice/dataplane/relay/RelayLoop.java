package io.sluice.dataplane.relay;

import io.netty.channel.IoEventLoop;
import io.sluice.kernel.DatagramBuffer;
import io.sluice.kernel.Epoll;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.NativeBuffer;
import io.sluice.kernel.Sockets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One of Netty's loops with what its connections share. State, owned by the loop's thread; counts may be read by any.
 *
 * <p>Descriptors are watched by an epoll set of our own, and Netty's loop watches that set. Given to Netty one by one, each would cost
 * three epoll_ctl(2) calls where this costs one, and an object for its registration.
 */
final class RelayLoop {
    static final int BUFFER = 128 * 1024;
    private static final Logger LOG = LoggerFactory.getLogger(RelayLoop.class);
    private static final int SMALL_BUFFER = 16 * 1024;
    private static final int MOST_IDLE_BUFFERS = 64;

    private final IoEventLoop loop;
    private final Epoll epoll;
    private final NativeBuffer buffer = new NativeBuffer(BUFFER);
    private final Deque<NativeBuffer> smallBuffers = new ArrayDeque<>();
    private final Deque<NativeBuffer> largeBuffers = new ArrayDeque<>();
    private final PipePool pipes = new PipePool();
    private final Set<TcpRelay> relays = new HashSet<>();
    private final ConnectTimers connectTimers = new ConnectTimers(this);
    private final SpareSockets spares = new SpareSockets();
    private final AtomicInteger load = new AtomicInteger();
    private DatagramBuffer datagram;
    /** By descriptor. */
    private RelaySocket[] sockets = new RelaySocket[1024];

    private final Deque<RelaySocket> ended = new ArrayDeque<>();
    private boolean dispatching;

    private RelayLoop(IoEventLoop loop, Epoll epoll) {
        this.loop = loop;
        this.epoll = epoll;
    }

    /** @throws KernelException where the kernel has no descriptor left */
    static RelayLoop start(IoEventLoop loop) throws KernelException {
        RelayLoop relayLoop = new RelayLoop(loop, Epoll.open());
        EpollSetHandle.register(loop, relayLoop.epoll, relayLoop::dispatch);
        return relayLoop;
    }

    /**
     * Tells all that are ready. Descriptors closed meanwhile keep their numbers until the end, so that an event of a closed one never
     * reaches a new one.
     */
    private void dispatch() {
        int count = epoll.poll();
        dispatching = true;
        for (int i = 0; i < count; i++) {
            RelaySocket socket = sockets[epoll.readyDescriptor(i)];
            if (socket != null) {
                tell(socket, epoll.readyOps(i));
            }
        }
        dispatching = false;
        while (!ended.isEmpty()) {
            Sockets.close(ended.pop().descriptor());
        }
    }

    private static void tell(RelaySocket socket, int ops) {
        try {
            socket.onReady(ops);
        } catch (RuntimeException | LinkageError e) {
            // A loop that ends takes all its connections with it.
            LOG.error(
                    "userspace: a bug at descriptor {}: it is given up, the others go on",
                    socket.descriptor(),
                    e);
            socket.onFault();
        }
    }

    boolean watch(RelaySocket socket, int ops) {
        int fd = socket.descriptor();
        try {
            epoll.add(fd, ops);
        } catch (KernelException e) {
            LOG.warn("userspace: {}; the connection is given up", e.getMessage());
            return false;
        }
        if (fd >= sockets.length) {
            sockets = Arrays.copyOf(sockets, Math.max(fd + 1, sockets.length * 2));
        }
        sockets[fd] = socket;
        return true;
    }

    void changeWatch(RelaySocket socket, int ops) {
        try {
            epoll.change(socket.descriptor(), ops);
        } catch (KernelException e) {
            LOG.warn("userspace: {}", e.getMessage());
        }
    }

    /** Called once for each that is watched. */
    void close(RelaySocket socket) {
        sockets[socket.descriptor()] = null;
        if (dispatching) {
            ended.push(socket);
        } else {
            Sockets.close(socket.descriptor());
        }
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

    SpareSockets spares() {
        return spares;
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
        spares.close();
    }

    /** After the loop's last turn. */
    void close() {
        epoll.close();
    }
}
