package io.sluice.dataplane.conductor;

import java.time.Duration;

/**
 * When the next sync is due: at once after a trigger, but not sooner than the shortest gap after the
 * last one's end; after a failure with growing waits up to the retry period; and at the latest after
 * the longest gap. Times are nanoseconds of one clock, given by the caller. Owned by the conductor's
 * thread.
 */
final class Pacer {
    private static final long FIRST_RETRY_NANOS = 1_000_000_000L;

    private final long minGap;
    private final long retryMost;
    private final long maxGap;
    private boolean triggered;
    private boolean failed;
    private boolean ran;
    private long lastEnd;
    private long retryGap;

    Pacer(Duration minGap, Duration retryMost, Duration maxGap) {
        this.minGap = minGap.toNanos();
        this.retryMost = retryMost.toNanos();
        this.maxGap = maxGap.toNanos();
    }

    /** Something changed. */
    void trigger() {
        triggered = true;
    }

    /** A sync ended. */
    void onRun(boolean success, long now) {
        triggered = false;
        ran = true;
        lastEnd = now;
        retryGap = Math.min(failed ? retryGap * 2 : FIRST_RETRY_NANOS, retryMost);
        failed = !success;
    }

    /** Nanoseconds until the next sync is due; 0 or less: now. {@link Long#MAX_VALUE}: not before a trigger. */
    long untilDue(long now) {
        if (!ran) {
            return triggered ? 0 : Long.MAX_VALUE;
        }
        long since = now - lastEnd;
        long wait = maxGap - since;
        if (triggered) {
            wait = Math.min(wait, minGap - since);
        }
        if (failed) {
            wait = Math.min(wait, Math.max(retryGap, minGap) - since);
        }
        return wait;
    }
}
