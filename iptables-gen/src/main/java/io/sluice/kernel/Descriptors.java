package io.sluice.kernel;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the descriptors we hold, so that a leak shows. Thread-safe. */
public final class Descriptors {
    private static final AtomicLong OPEN = new AtomicLong();

    private Descriptors() {}

    static int opened(int fd) {
        OPEN.incrementAndGet();
        return fd;
    }

    static void closed() {
        OPEN.decrementAndGet();
    }

    /** How many are open now. */
    public static long open() {
        return OPEN.get();
    }
}
