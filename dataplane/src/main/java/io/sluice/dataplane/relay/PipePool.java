package io.sluice.dataplane.relay;

import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Pipes for splice(2), kept for reuse. State, owned by its loop. */
final class PipePool {
    static final int CAPACITY = 1 << 20;
    /** Beyond so many a loop copies instead: a full pipe holds a megabyte of kernel memory. */
    private static final int MOST = 256;

    private static final int MOST_IDLE = 16;

    private final Deque<Pipe> idle = new ArrayDeque<>();
    private int made;

    /** @param readEnd descriptor @param writeEnd descriptor */
    record Pipe(int readEnd, int writeEnd) {}

    Optional<Pipe> take() {
        Pipe pipe = idle.poll();
        if (pipe != null) {
            return Optional.of(pipe);
        }
        if (made >= MOST) {
            return Optional.empty();
        }
        try {
            long ends = Sockets.pipe(CAPACITY);
            made++;
            return Optional.of(new Pipe((int) ends, (int) (ends >>> 32)));
        } catch (KernelException e) {
            return Optional.empty(); // short of descriptors: copying works as well
        }
    }

    /** @param empty one with bytes in it cannot serve anybody else */
    void give(Pipe pipe, boolean empty) {
        if (empty && idle.size() < MOST_IDLE) {
            idle.push(pipe);
        } else {
            close(pipe);
        }
    }

    private void close(Pipe pipe) {
        Sockets.close(pipe.readEnd());
        Sockets.close(pipe.writeEnd());
        made--;
    }

    void close() {
        while (!idle.isEmpty()) {
            close(idle.pop());
        }
    }
}
