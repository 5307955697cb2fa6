package io.sluice.controllers.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

class WorkQueueTest {
    private final AtomicLong now = new AtomicLong();
    private final WorkQueue<String> queue = new WorkQueue<>(now::get);

    private static long seconds(long count) {
        return count * 1_000_000_000L;
    }

    @Test
    void keyWaitsOnceHoweverOftenItIsAdded() throws Exception {
        queue.add("a");
        queue.add("a");
        queue.add("b");
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.take()).contains("a");
        assertThat(queue.take()).contains("b");
    }

    @Test
    void keyAddedWhileWorkedOnComesBackAfterwards() throws Exception {
        queue.add("a");
        assertThat(queue.take()).contains("a");
        queue.add("a");
        assertThat(queue.size()).isZero();
        queue.done("a", true);
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.take()).contains("a");
    }

    @Test
    void soonerOfTwoDelaysCounts() throws Exception {
        queue.addAfter("a", Duration.ofSeconds(10));
        queue.addAfter("a", Duration.ofSeconds(5));
        queue.addAfter("a", Duration.ofSeconds(20));
        queue.addAfter("b", Duration.ofSeconds(7));
        now.set(seconds(30));
        assertThat(queue.take()).contains("a");
        assertThat(queue.take()).contains("b");
    }

    @Test
    void failuresComeBackAfterGrowingWaits() throws Exception {
        queue.add("a");
        long waited = 0;
        for (int i = 0; i < 12; i++) {
            assertThat(queue.take()).contains("a");
            queue.done("a", false);
            long wait = Math.min(100_000_000L << i, seconds(60));
            waited += wait;
            now.addAndGet(wait);
        }
        assertThat(waited).isEqualTo(now.get());
        assertThat(queue.take()).contains("a");
        queue.done("a", true);
        assertThat(queue.size()).isZero();
    }

    @Test
    void closedQueueGivesNothing() throws Exception {
        queue.add("a");
        queue.close();
        assertThat(queue.take()).isEmpty();
        queue.add("b");
        assertThat(queue.size()).isZero();
    }

    /** No key is lost, and none is worked on by two at a time. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyAddedKeyIsWorkedOnAfterwards(long seed) throws Exception {
        Random random = new Random(seed);
        Set<String> owed = new HashSet<>();
        List<String> working = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            String key = "k" + random.nextInt(8);
            if (random.nextBoolean()) {
                queue.add(key);
                owed.add(key);
            } else if (!working.isEmpty() && random.nextBoolean()) {
                queue.done(working.remove(random.nextInt(working.size())), true);
            } else if (queue.size() > 0) {
                Optional<String> taken = queue.take();
                assertThat(working)
                        .as("seed %d step %d", seed, step)
                        .doesNotContain(taken.orElseThrow());
                working.add(taken.get());
                owed.remove(taken.get());
            }
        }
        working.forEach(key -> queue.done(key, true));
        while (queue.size() > 0) {
            String key = queue.take().orElseThrow();
            owed.remove(key);
            queue.done(key, true);
        }
        assertThat(owed).as("seed %d", seed).isEmpty();
    }
}
