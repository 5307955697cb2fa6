package io.sluice.endpoints;

import java.util.Random;
import java.util.function.Consumer;

/** Runs a test for several seeds; a failure names its seed, and {@code -Dendpoints.seed=N} runs that one alone. */
final class Seeds {
    private static final String PROPERTY = "endpoints.seed";

    private Seeds() {}

    static void run(int count, Consumer<Random> test) {
        Long one = Long.getLong(PROPERTY);
        long first = one != null ? one : 1;
        long last = one != null ? one : count;
        for (long seed = first; seed <= last; seed++) {
            try {
                test.accept(new Random(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "seed " + seed + " (again: -D" + PROPERTY + "=" + seed + "): " + e, e);
            }
        }
    }
}
