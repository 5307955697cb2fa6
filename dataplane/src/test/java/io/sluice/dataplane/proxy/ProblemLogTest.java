package io.sluice.dataplane.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class ProblemLogTest {
    private final List<String> logged = new ArrayList<>();
    private long now = -5;
    private final ProblemLog log = new ProblemLog(logged::add, () -> now);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void shouldLogEachKindOnceAndThenMoreAndMoreSeldom() {
        // A fault that comes back every ten seconds for a day.
        for (int i = 0; i < 8_640; i++) {
            log.warn("watch of services: refused; trying again in " + i + " ms");
            pass(Duration.ofSeconds(10));
        }

        assertThat(logged).hasSizeBetween(25, 32);
        assertThat(logged.get(1)).endsWith("in 6 ms (5 more times since this was logged last)");
        log.warn("another fault");
        assertThat(logged.getLast()).isEqualTo("another fault");
    }

    @Test
    void shouldTakeAFaultForNewAfterALongTime() {
        log.warn("fault");
        log.warn("fault");
        assertThat(logged).containsExactly("fault");
        pass(Duration.ofHours(2));
        log.warn("fault");

        assertThat(logged).containsExactly("fault", "fault");
    }

    @Test
    void shouldForgetTheOldestOfTooManyKinds() {
        log.warn("first");
        for (int i = 0; i < 300; i++) {
            log.warn("kind " + "x".repeat(i));
        }
        log.warn("first");

        assertThat(logged).filteredOn("first"::equals).hasSize(2);
    }
}
