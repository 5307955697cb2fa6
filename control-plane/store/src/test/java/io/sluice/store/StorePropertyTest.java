package io.sluice.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.Store.Condition;
import io.sluice.store.Store.Operation;
import io.sluice.store.Store.RangeQuery;
import io.sluice.store.twin.TwinStore;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** Whatever is done, in whatever order, the real store answers as the twin does, also when it is opened again in between. */
final class StorePropertyTest {
    private static final int STEPS = 250;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TWIN")
    void answersAsTheTwinDoes(StoreFactory factory) {
        Seeds.run(15, seeded -> run(factory, seeded));
    }

    private void run(StoreFactory factory, Seeds.Seeded seeded) {
        Path own = directory.resolve(factory + "-" + seeded.seed());
        Random random = seeded.random();
        Store real = factory.open(own);
        try (TwinStore twin = new TwinStore(1L << 40)) {
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(40) == 0) {
                    real.close();
                    real = factory.open(own);
                }
                step(random, real, twin);
            }
            compareEverything(real, twin);
        } finally {
            real.close();
        }
    }

    private static void step(Random random, Store real, TwinStore twin) {
        switch (random.nextInt(8)) {
            case 0 -> {
                String key = key(random);
                same(real, twin, store -> describe(store, key));
            }
            case 1 -> {
                long revision = revision(random, twin);
                String key = key(random);
                same(real, twin, store -> store.get(key, revision).map(RecordingSink::describe));
            }
            case 2 -> {
                RangeQuery query = new RangeQuery(
                        prefix(random),
                        random.nextBoolean() ? "" : key(random),
                        random.nextInt(5),
                        revision(random, twin));
                same(real, twin, store -> describe(store.range(query)));
            }
            case 3 -> {
                if (random.nextInt(6) == 0) {
                    long revision = revision(random, twin);
                    same(real, twin, store -> {
                        store.compact(revision);
                        return store.compactedRevision();
                    });
                }
            }
            default -> {
                List<Condition> conditions = conditions(random, twin);
                List<Operation> operations = operations(random);
                same(real, twin, store -> describe(store.commit(conditions, operations)));
            }
        }
    }

    private static void compareEverything(Store real, TwinStore twin) {
        assertThat(real.revision()).isEqualTo(twin.revision());
        for (long revision = twin.compactedRevision(); revision <= twin.revision(); revision++) {
            RangeQuery query = new RangeQuery("", "", 0, Math.max(1, revision));
            same(real, twin, store -> describe(store.range(query)));
        }
        long from = Math.max(1, twin.compactedRevision());
        RecordingSink expected = new RecordingSink();
        RecordingSink found = new RecordingSink();
        try (StoreWatch inTwin = twin.watch("b", from, expected);
                StoreWatch inReal = real.watch("b", from, found)) {
            assertThat(inTwin).isNotSameAs(inReal);
            await().untilAsserted(() -> assertThat(found.lines()).isEqualTo(expected.lines()));
        }
    }

    /** The same answer, or the same refusal. */
    private static void same(Store real, Store twin, Function<Store, Object> action) {
        assertThat(outcome(real, action)).isEqualTo(outcome(twin, action));
    }

    private static Object outcome(Store store, Function<Store, Object> action) {
        try {
            return action.apply(store);
        } catch (CompactedException | FutureRevisionException e) {
            return e.getClass();
        }
    }

    private static String describe(Store store, String key) {
        return store.get(key, 0).map(RecordingSink::describe).orElse("absent");
    }

    private static String describe(Store.Range range) {
        List<String> entries = range.entries().stream()
                .map(entry -> entry.key() + "=" + RecordingSink.describe(entry))
                .toList();
        return entries + " at " + range.revision() + ", " + range.remaining() + " more";
    }

    private static String describe(Store.CommitResult result) {
        return switch (result) {
            case Store.CommitResult.Committed committed -> "committed " + committed.revision();
            case Store.CommitResult.Conflict conflict ->
                "conflict " + conflict.key() + " "
                        + conflict.found().map(RecordingSink::describe).orElse("absent");
        };
    }

    private static List<Condition> conditions(Random random, Store twin) {
        List<Condition> conditions = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            String key = key(random);
            long right = twin.get(key, 0).map(Store.Entry::modRevision).orElse(0L);
            conditions.add(new Condition(key, random.nextInt(5) == 0 ? random.nextInt(9) : right));
        }
        return conditions;
    }

    private static List<Operation> operations(Random random) {
        Map<String, Operation> operations = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            String key = key(random);
            byte[] value =
                    ("v" + random.nextInt(1000)).repeat(random.nextInt(300)).getBytes(UTF_8);
            operations.put(
                    key,
                    random.nextInt(3) == 0
                            ? new Operation.Delete(key)
                            : new Operation.Put(key, value));
        }
        return List.copyOf(operations.values());
    }

    private static String key(Random random) {
        return prefix(random) + random.nextInt(6);
    }

    private static String prefix(Random random) {
        return List.of("a/", "b/", "b/c/", "c").get(random.nextInt(4));
    }

    /** Mostly one that is held, sometimes the newest, compacted, or to come. */
    private static long revision(Random random, Store twin) {
        return random.nextInt(4) == 0 ? 0 : 1 + random.nextLong(twin.revision() + 1);
    }
}
