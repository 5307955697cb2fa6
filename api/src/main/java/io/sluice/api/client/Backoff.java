package io.sluice.api.client;

import java.time.Duration;

/** Growing waits with jitter between tries: each is between half of the current step and all of it. One thread. */
final class Backoff {
    private final WatchPace pace;
    private long stepMs;

    Backoff(WatchPace pace) {
        this.pace = pace;
        reset();
    }

    void reset() {
        stepMs = pace.firstWait().toMillis();
    }

    Duration next() {
        long wait = stepMs / 2 + pace.random().get().nextLong(stepMs / 2 + 1);
        stepMs = Math.min(stepMs * 2, pace.longestWait().toMillis());
        return Duration.ofMillis(wait);
    }
}
