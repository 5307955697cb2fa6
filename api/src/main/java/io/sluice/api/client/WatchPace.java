package io.sluice.api.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * How patient a watch is.
 *
 * @param silence a stream without a byte for so long is taken for dead; servers send bookmarks about every minute
 * @param firstWait after the first failure; doubles with each further one
 * @param longestWait the doubling ends here
 * @param random for the jitter; asked on the watch's thread
 */
record WatchPace(
        Duration silence,
        Duration firstWait,
        Duration longestWait,
        Supplier<RandomGenerator> random) {
    static final WatchPace USUAL = new WatchPace(
            Duration.ofSeconds(150),
            Duration.ofMillis(200),
            Duration.ofSeconds(10),
            ThreadLocalRandom::current);
}
