package io.sluice.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.Store.CommitResult.Committed;
import io.sluice.store.Store.Condition;
import io.sluice.store.Store.Operation;
import io.sluice.store.Store.RangeQuery;
import io.sluice.store.embedded.EmbeddedOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/** Many writers, readers, watchers and a compaction at once. */
final class StoreConcurrencyTest {
    private static final int WRITERS = 64;
    private static final int INCREMENTS = 40;
    private static final int COUNTERS = 8;

    @TempDir
    private Path directory;

    @Test
    void noIncrementIsLostAndWatchersSeeEachOnce() throws Exception {
        try (Store store = StoreFactory.EMBEDDED_WITHOUT_CACHE.open(directory);
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            RecordingSink sink = new RecordingSink();
            store.watch("counter", 1, sink);
            List<Future<?>> running = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                String key = "counter" + writer % COUNTERS;
                running.add(executor.submit(() -> {
                    for (int i = 0; i < INCREMENTS; i++) {
                        increment(store, key);
                    }
                }));
            }
            running.add(executor.submit(() -> readUntilDone(store)));
            for (Future<?> future : running) {
                future.get();
            }
            long sum = store.range(new RangeQuery("counter", "", 0, 0)).entries().stream()
                    .mapToLong(StoreConcurrencyTest::number)
                    .sum();
            assertThat(sum).isEqualTo((long) WRITERS * INCREMENTS);
            assertThat(store.revision()).isEqualTo(1 + sum);
            await().atMost(Duration.ofSeconds(30)).until(() -> sink.lines().size() == sum);
            assertThat(sink.lines().stream()
                            .mapToLong(
                                    line -> Long.parseLong(line.substring(0, line.indexOf(':')))))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(2, 1 + sum).boxed().toList());
        }
    }

    private static void increment(Store store, String key) {
        boolean done = false;
        while (!done) {
            Optional<Store.Entry> before = store.get(key, 0);
            long next = before.map(StoreConcurrencyTest::number).orElse(0L) + 1;
            Condition condition =
                    new Condition(key, before.map(Store.Entry::modRevision).orElse(0L));
            Operation put = new Operation.Put(key, Long.toString(next).getBytes(UTF_8));
            done = store.commit(List.of(condition), List.of(put)) instanceof Committed;
        }
    }

    private static long number(Store.Entry entry) {
        return Long.parseLong(new String(entry.value(), UTF_8));
    }

    /** The newest state can always be read, and a sum never shrinks. */
    private static void readUntilDone(Store store) {
        long sum = 0;
        while (sum < (long) WRITERS * INCREMENTS) {
            Store.Range range = store.range(new RangeQuery("counter", "", 0, 0));
            long now = range.entries().stream()
                    .mapToLong(StoreConcurrencyTest::number)
                    .sum();
            assertThat(now).isGreaterThanOrEqualTo(sum).isEqualTo(range.revision() - 1);
            sum = now;
        }
    }

    @Test
    void compactionNeverDisturbsReadsOfTheNewestState() throws Exception {
        try (Store store = StoreFactory.EMBEDDED_WITHOUT_CACHE.open(directory);
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch written = new CountDownLatch(1);
            Future<?> writer = executor.submit(() -> {
                for (int i = 0; i < 3000; i++) {
                    store.commit(
                            List.of(), List.of(new Operation.Put("k" + i % 10, new byte[100])));
                    if (i % 50 == 49) {
                        store.compact(store.revision());
                    }
                }
                written.countDown();
            });
            while (written.getCount() > 0 && !writer.isDone()) {
                assertThatCode(() -> store.range(new RangeQuery("k", "", 0, 0)))
                        .doesNotThrowAnyException();
            }
            writer.get();
            await().until(() -> !store.status().compacting());
            assertThat(store.range(new RangeQuery("k", "", 0, 0)).entries()).hasSize(10);
            assertThat(store.status().usedBytes()).isEqualTo(10 * (48 + 2 + 100));
        }
    }

    @Test
    void slowConsumerIsEndedAndTheOthersGoOn() {
        EmbeddedOptions options = EmbeddedOptions.defaults().withWatchQueueCapacity(100);
        CountDownLatch stuck = new CountDownLatch(1);
        RecordingSink end = new RecordingSink();
        RecordingSink other = new RecordingSink();
        try (Store store = StoreFactory.embedded(directory, options)) {
            store.watch("a", 1, new StoreWatch.Sink() {
                @Override
                public void onEvents(long revision, List<Store.Event> events) {
                    try {
                        stuck.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }

                @Override
                public void onEnd(String why) {
                    end.onEnd(why);
                }
            });
            store.watch("a", 1, other);
            for (int i = 0; i < 500; i++) {
                store.commit(List.of(), List.of(new Operation.Put("a" + i, new byte[10])));
                int count = i + 1;
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> other.lines().size() == count);
            }
            assertThat(store.status().watchesEnded()).isEqualTo(1);
            stuck.countDown();
            await().until(() -> end.end().isPresent());
            assertThat(end.end().orElseThrow()).startsWith("the consumer is too slow");
        }
    }
}
