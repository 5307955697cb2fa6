package io.sluice.kernel;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the descriptors we hold, so that a leak shows. Thread-safe. */
public final class Descriptors {
    private static final int RLIMIT_NOFILE = 7;
    /** What Linux gives by default. */
    private static final int LEAST_LIMIT = 1024;

    private static final AtomicLong OPEN = new AtomicLong();

    private Descriptors() {}

    static int opened(int fd) {
        OPEN.incrementAndGet();
        return fd;
    }

    static void closed() {
        OPEN.decrementAndGet();
    }

    /** How many this process may have open at once. */
    public static int limit() {
        Pointer limit = Memory.allocateDirect(LibC.RUNTIME, 16);
        if (LibC.INSTANCE.getrlimit(RLIMIT_NOFILE, limit) != 0) {
            return LEAST_LIMIT;
        }
        long soft = limit.getLong(0);
        return soft < 0 || soft > Integer.MAX_VALUE ? Integer.MAX_VALUE : (int) soft;
    }

    /** How many are open now. */
    public static long open() {
        return OPEN.get();
    }
}
