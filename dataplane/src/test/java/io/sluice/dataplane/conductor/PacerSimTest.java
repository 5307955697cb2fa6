package io.sluice.dataplane.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The pacer beside a slow twin that remembers everything, over random histories; and its promises. */
class PacerSimTest {
    private static final Duration MAX_GAP = Duration.ofHours(1);

    /** What happened, when. */
    private sealed interface Event {
        record Trigger() implements Event {}

        record Run(boolean success, long at) implements Event {}
    }

    /** Looks through all of the past at each question. */
    private record SlowPacer(Duration minGap, Duration retryMost, List<Event> past) {
        long untilDue(long now) {
            int last = -1;
            for (int i = 0; i < past.size(); i++) {
                last = past.get(i) instanceof Event.Run ? i : last;
            }
            boolean triggered = past.subList(last + 1, past.size()).stream()
                    .anyMatch(Event.Trigger.class::isInstance);
            if (last < 0) {
                return triggered ? 0 : Long.MAX_VALUE;
            }
            int failures = 0;
            for (int i = last; i >= 0; i--) {
                if (past.get(i) instanceof Event.Run run) {
                    if (run.success()) {
                        break;
                    }
                    failures++;
                }
            }
            long end = ((Event.Run) past.get(last)).at();
            long due = end + MAX_GAP.toNanos();
            if (triggered) {
                due = Math.min(due, end + minGap.toNanos());
            }
            if (failures > 0) {
                double gap = Math.min(1e9 * Math.pow(2, failures - 1), retryMost.toNanos());
                due = Math.min(due, end + Math.max((long) gap, minGap.toNanos()));
            }
            return due - now;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldAgreeWithItsSlowTwin(long seed) {
        Random random = new Random(seed);
        Duration minGap = Duration.ofMillis(random.nextInt(5) * 700L);
        Duration retryMost = Duration.ofMillis(300 + random.nextInt(60_000));
        Pacer pacer = new Pacer(minGap, retryMost, MAX_GAP);
        SlowPacer twin = new SlowPacer(minGap, retryMost, new ArrayList<>());
        long now = random.nextLong(); // a clock may start anywhere, and wrap
        for (int step = 0; step < 2_000; step++) {
            now += random.nextLong(random.nextBoolean() ? 2_000_000_000L : 20_000_000L);
            switch (random.nextInt(4)) {
                case 0 -> {
                    pacer.trigger();
                    twin.past().add(new Event.Trigger());
                }
                case 1 -> {
                    boolean success = random.nextInt(3) > 0;
                    pacer.onRun(success, now);
                    twin.past().add(new Event.Run(success, now));
                }
                default -> now += random.nextLong(1_000_000L);
            }
            assertThat(pacer.untilDue(now)).as("step %d", step).isEqualTo(twin.untilDue(now));
        }
    }

    /** A whole day with triggers and failures at random, run as the conductor does. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15})
    void shouldKeepItsPromisesForADay(long seed) {
        Random random = new Random(seed);
        long minGap = random.nextLong(3_000_000_000L);
        long retryMost = 30_000_000_000L;
        Pacer pacer = new Pacer(Duration.ofNanos(minGap), Duration.ofNanos(retryMost), MAX_GAP);
        long now = 0;
        long lastEnd = 0;
        long waitingSince = -1;
        boolean ran = false;
        boolean failed = false;
        while (now < Duration.ofDays(1).toNanos()) {
            long quiet = random.nextInt(100) == 0 ? 7_200_000_000_000L : 10_000_000_000L;
            long nextTrigger = now + random.nextLong(quiet);
            long due = pacer.untilDue(now);
            while (due != Long.MAX_VALUE && now + Math.max(due, 0) <= nextTrigger) {
                now += Math.max(due, 0);
                if (ran) {
                    assertThat(now - lastEnd).isBetween(minGap, MAX_GAP.toNanos());
                    assertThat(failed && now - lastEnd > Math.max(retryMost, minGap))
                            .isFalse();
                }
                if (waitingSince >= 0) {
                    long start = ran ? Math.max(waitingSince, lastEnd + minGap) : waitingSince;
                    assertThat(now).isLessThanOrEqualTo(start);
                }
                now += random.nextLong(500_000_000L); // it takes a while
                failed = random.nextInt(5) == 0;
                pacer.onRun(!failed, now);
                lastEnd = now;
                ran = true;
                waitingSince = -1;
                due = pacer.untilDue(now);
            }
            now = Math.max(now, nextTrigger);
            pacer.trigger();
            waitingSince = waitingSince < 0 ? now : waitingSince;
        }
        assertThat(ran).isTrue();
    }

    @Test
    void shouldWaitForATriggerBeforeTheFirstRun() {
        Pacer pacer = new Pacer(Duration.ZERO, Duration.ofSeconds(30), MAX_GAP);

        assertThat(pacer.untilDue(5)).isEqualTo(Long.MAX_VALUE);
        pacer.trigger();
        assertThat(pacer.untilDue(5)).isLessThanOrEqualTo(0);
    }
}
