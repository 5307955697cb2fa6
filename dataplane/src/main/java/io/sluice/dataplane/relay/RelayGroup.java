package io.sluice.dataplane.relay;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.sluice.kernel.KernelException;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** All loops of the relay. */
final class RelayGroup implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group;
    private final List<RelayLoop> loops = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();

    /** @param count how many loops, each a thread */
    RelayGroup(int count) {
        group = new MultiThreadIoEventLoopGroup(
                count, new DefaultThreadFactory("relay", true), EpollIoHandler.newFactory());
        try {
            for (EventExecutor executor : group) {
                loops.add(RelayLoop.start((IoEventLoop) executor));
            }
        } catch (KernelException e) {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new UncheckedIOException("the relay cannot start", e);
        }
    }

    /** In turn, for listeners. */
    RelayLoop nextLoop() {
        return loops.get(Math.floorMod(next.getAndIncrement(), loops.size()));
    }

    RelayLoop leastLoaded() {
        RelayLoop least = loops.getFirst();
        for (RelayLoop loop : loops) {
            least = loop.load() < least.load() ? loop : least;
        }
        return least;
    }

    /** Waits until all loops did what they were told before, and what they told each other in doing so. */
    void barrier() {
        loops.forEach(RelayLoop::barrier);
        loops.forEach(RelayLoop::barrier);
    }

    /** Waits until no connection is open, at most so long. */
    void awaitIdle(Duration deadline) {
        long end = System.nanoTime() + deadline.toNanos();
        while (open() > 0 && System.nanoTime() < end) {
            try {
                Thread.sleep(Duration.ofMillis(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    int open() {
        return loops.stream().mapToInt(RelayLoop::load).sum();
    }

    @Override
    public void close() {
        for (RelayLoop loop : loops) {
            loop.execute(loop::abortAll);
        }
        barrier();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
        loops.forEach(RelayLoop::close);
    }
}
