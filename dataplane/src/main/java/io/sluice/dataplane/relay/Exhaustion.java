package io.sluice.dataplane.relay;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Descriptors ran out: counts how often, and says so at most once a minute. Thread-safe. */
final class Exhaustion {
    private static final Logger LOG = LoggerFactory.getLogger(Exhaustion.class);
    private static final long MINUTE = 60_000_000_000L;

    private final AtomicLong count = new AtomicLong();
    private final AtomicLong saidAt;
    private final LongSupplier nanoTime;

    Exhaustion(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.saidAt = new AtomicLong(nanoTime.getAsLong() - MINUTE);
    }

    void met() {
        count.incrementAndGet();
        long now = nanoTime.getAsLong();
        long last = saidAt.get();
        if (now - last >= MINUTE && saidAt.compareAndSet(last, now)) {
            LOG.warn(
                    "userspace: out of descriptors (met {} times so far): new connections wait in"
                            + " the kernel's backlog until some end; raise the limit (ulimit -n,"
                            + " LimitNOFILE)",
                    count.get());
        }
    }

    long count() {
        return count.get();
    }
}
