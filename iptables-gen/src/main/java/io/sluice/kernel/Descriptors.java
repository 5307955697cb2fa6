package io.sluice.kernel;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the descriptors we hold, so that a leak shows. Thread-safe. */
public final class Descriptors {
    private static final int RLIMIT_NOFILE = 7;
    /** What Linux gives by default. */
    private static final int LEAST_LIMIT = 1024;

    /** Jars, the API server, health checks, logs. */
    private static final int LEAST_SPARE = 100;

    private static final int MOST_SPARE = 1000;
    private static final int BUDGET = limit() - spare(limit());

    private static final AtomicLong OPEN = new AtomicLong();

    private Descriptors() {}

    public static int opened(int fd) {
        OPEN.incrementAndGet();
        return fd;
    }

    public static void closed() {
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

    /** How many of ours may be open at once, so that enough are left for what Java opens by itself. */
    public static int budget() {
        return BUDGET;
    }

    private static int spare(int limit) {
        return Math.min(Math.max(LEAST_SPARE, limit / 10), MOST_SPARE);
    }

    /** How many are open now. */
    public static long open() {
        return OPEN.get();
    }
}
