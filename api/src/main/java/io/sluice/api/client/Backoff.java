package io.sluice.api.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Growing waits with jitter between tries: 0.2 s doubling to 10 s, each between half of that and all. One thread. */
final class Backoff {
    private static final long FIRST_MS = 200;
    private static final long MOST_MS = 10_000;

    private final RandomGenerator random;
    private long nextMs = FIRST_MS;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    void reset() {
        nextMs = FIRST_MS;
    }

    Duration next() {
        long wait = nextMs / 2 + random.nextLong(nextMs / 2 + 1);
        nextMs = Math.min(nextMs * 2, MOST_MS);
        return Duration.ofMillis(wait);
    }
}
