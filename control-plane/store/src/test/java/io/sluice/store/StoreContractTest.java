package io.sluice.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.Store.CommitResult.Committed;
import io.sluice.store.Store.CommitResult.Conflict;
import io.sluice.store.Store.Condition;
import io.sluice.store.Store.Operation;
import io.sluice.store.Store.Operation.Delete;
import io.sluice.store.Store.Operation.Put;
import io.sluice.store.Store.RangeQuery;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What every store does. */
final class StoreContractTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void beginsAtRevisionOneWithNothing(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            assertThat(store.revision()).isEqualTo(1);
            assertThat(store.compactedRevision()).isZero();
            assertThat(store.get("a", 0)).isEmpty();
            assertThat(store.get("a", 1)).isEmpty();
            assertThat(range(store, "", "", 0, 0)).isEqualTo("[] at 1, 0 more");
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachTransactionHasOneRevision(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            assertThat(commit(store, put("a", "1"), put("b", "1"))).isEqualTo(new Committed(2));
            assertThat(commit(store, put("a", "2"), new Delete("b"), put("c", "2")))
                    .isEqualTo(new Committed(3));
            assertThat(range(store, "", "", 0, 0)).isEqualTo("[a=2@2/3, c=2@3/3] at 3, 0 more");
            assertThat(range(store, "", "", 0, 2)).isEqualTo("[a=1@2/2, b=1@2/2] at 2, 0 more");
            assertThat(entry(store, "a", 2)).isEqualTo("1@2/2");
            assertThat(store.get("c", 2)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void keyDeletedAndMadeAgainIsNew(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            commit(store, put("a", "1"));
            commit(store, new Delete("a"));
            commit(store, put("a", "3"));
            assertThat(entry(store, "a", 0)).isEqualTo("3@4/4");
            assertThat(store.get("a", 3)).isEmpty();
            assertThat(entry(store, "a", 2)).isEqualTo("1@2/2");
        }
    }

    @ParameterizedTest
    @EnumSource
    void transactionThatChangesNothingTakesNoRevision(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            commit(store, put("a", "1"));
            assertThat(commit(store, new Delete("b"))).isEqualTo(new Committed(2));
            assertThat(commit(store)).isEqualTo(new Committed(2));
            assertThat(commit(store, put("a", "1"))).isEqualTo(new Committed(3));
        }
    }

    @ParameterizedTest
    @EnumSource
    void conditionsHoldAllOrNothingChanges(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            commit(store, put("a", "1"));
            List<Operation> change = List.of(put("a", "2"), put("b", "2"));
            assertThat(store.commit(List.of(new Condition("a", 2), new Condition("b", 0)), change))
                    .isEqualTo(new Committed(3));
            assertConflict(store, new Condition("a", 2), "a", "2@2/3");
            assertConflict(store, new Condition("a", 0), "a", "2@2/3");
            assertConflict(store, new Condition("c", 2), "c", "absent");
            commit(store, new Delete("b"));
            assertConflict(store, new Condition("b", 3), "b", "absent");
            assertThat(store.revision()).isEqualTo(4);
            assertThat(store.commit(List.of(new Condition("b", 0)), List.of(put("b", "5"))))
                    .isEqualTo(new Committed(5));
        }
    }

    private static void assertConflict(Store store, Condition failing, String key, String found) {
        List<Condition> conditions = List.of(new Condition("none", 0), failing);
        assertThat(store.commit(conditions, List.of(put("a", "x"), put("z", "x"))))
                .isInstanceOfSatisfying(Conflict.class, conflict -> {
                    assertThat(conflict.key()).isEqualTo(key);
                    assertThat(conflict.found().map(RecordingSink::describe).orElse("absent"))
                            .isEqualTo(found);
                });
        assertThat(store.get("z", 0)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void pagesAreOfOneRevision(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            for (String key : List.of("p/a", "p/b", "p/c", "p/d", "q/a", "o/z")) {
                commit(store, put(key, "1"));
            }
            assertThat(range(store, "p/", "", 2, 0))
                    .isEqualTo("[p/a=1@2/2, p/b=1@3/3] at 7, 2 more");
            commit(store, put("p/bb", "2"), new Delete("p/c"), put("p/d", "2"));
            assertThat(range(store, "p/", "p/b", 1, 7)).isEqualTo("[p/c=1@4/4] at 7, 1 more");
            assertThat(range(store, "p/", "p/c", 1, 7)).isEqualTo("[p/d=1@5/5] at 7, 0 more");
            assertThat(range(store, "p/", "p/d", 1, 7)).isEqualTo("[] at 7, 0 more");
            assertThat(range(store, "p/", "p/b", 0, 0))
                    .isEqualTo("[p/bb=2@8/8, p/d=2@5/8] at 8, 0 more");
            assertThat(range(store, "p/", "a", 1, 0)).isEqualTo("[p/a=1@2/2] at 8, 3 more");
        }
    }

    @ParameterizedTest
    @EnumSource
    void watchTellsHistoryThenWhatFollows(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            RecordingSink all = new RecordingSink();
            RecordingSink some = new RecordingSink();
            RecordingSink fromNow = new RecordingSink();
            commit(store, put("a/1", "1"));
            commit(store, put("a/2", "2"), put("b/1", "2"));
            store.watch("", 1, all);
            store.watch("a/", 2, some);
            store.watch("a/", 0, fromNow);
            await().until(() -> all.lines().size() == 2 && some.lines().size() == 1);
            commit(store, put("a/1", "3"), new Delete("b/1"));
            commit(store, new Delete("a/1"), new Delete("absent"));
            commit(store, put("b/1", "5"));
            commit(store, put("a/1", "6"));
            await().until(() -> all.lines().size() == 6
                    && some.lines().size() == 4
                    && fromNow.lines().size() == 3);
            String change = "4: a/1=3 was 1@2/2";
            List<String> later = List.of("5: a/1=deleted was 3@2/4", "7: a/1=6");
            assertThat(all.lines())
                    .containsExactly(
                            "2: a/1=1",
                            "3: a/2=2 b/1=2",
                            change + " b/1=deleted was 2@3/3",
                            later.get(0),
                            "6: b/1=5",
                            later.get(1));
            assertThat(some.lines())
                    .containsExactly("3: a/2=2", change, later.get(0), later.get(1));
            assertThat(fromNow.lines()).containsExactly(change, later.get(0), later.get(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void watchMayBeginInTheFuture(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            RecordingSink sink = new RecordingSink();
            store.watch("", 3, sink);
            for (int i = 0; i < 4; i++) {
                commit(store, put("a" + i, "1"));
            }
            await().until(() -> sink.lines().size() == 2);
            assertThat(sink.lines()).containsExactly("4: a2=1", "5: a3=1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void closedWatchIsSilentAndClosingTheStoreEndsTheOthers(StoreFactory factory) {
        RecordingSink closed = new RecordingSink();
        RecordingSink open = new RecordingSink();
        try (Store store = factory.open(directory)) {
            StoreWatch watch = store.watch("", 1, closed);
            store.watch("", 1, open);
            watch.close();
            commit(store, put("a", "1"));
            await().until(() -> open.lines().size() == 1);
        }
        await().until(() -> open.end().isPresent());
        assertThat(open.end()).contains("the store closes");
        assertThat(closed.end()).isEmpty();
        assertThat(closed.lines()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void compactionForgetsWhatWasReplaced(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            commit(store, put("a", "2"), put("b", "2"), put("c", "2"));
            commit(store, put("a", "3"));
            commit(store, new Delete("b"));
            commit(store, put("a", "5"), put("b", "5"));
            store.compact(4);
            assertThat(store.compactedRevision()).isEqualTo(4);
            await().until(() -> !store.status().compacting());
            assertThat(range(store, "", "", 0, 4)).isEqualTo("[a=3@2/3, c=2@2/2] at 4, 0 more");
            assertThat(range(store, "", "", 0, 0))
                    .isEqualTo("[a=5@2/5, b=5@5/5, c=2@2/2] at 5, 0 more");
            assertThatThrownBy(() -> store.get("c", 3)).isInstanceOf(CompactedException.class);
            assertThatThrownBy(() -> range(store, "", "", 0, 3))
                    .isInstanceOf(CompactedException.class);
            assertThatThrownBy(() -> store.watch("", 3, new RecordingSink()))
                    .isInstanceOf(CompactedException.class);
            RecordingSink sink = new RecordingSink();
            store.watch("", 4, sink);
            await().until(() -> sink.lines().size() == 1);
            assertThat(sink.lines()).containsExactly("5: a=5 was 3@2/3 b=5");
            store.compact(2);
            assertThat(store.compactedRevision()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void compactionOfADeletedKeyLeavesNothing(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            commit(store, put("a", "2"));
            commit(store, new Delete("a"));
            store.compact(3);
            await().until(() -> !store.status().compacting());
            assertThat(store.status().usedBytes()).isZero();
            assertThat(store.status().keys()).isZero();
            assertThat(store.get("a", 3)).isEmpty();
            assertThat(store.commit(List.of(new Condition("a", 0)), List.of(put("a", "4"))))
                    .isEqualTo(new Committed(4));
            assertThat(entry(store, "a", 0)).isEqualTo("4@4/4");
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatHasNotHappenedIsRefused(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            assertThatThrownBy(() -> store.get("a", 2)).isInstanceOf(FutureRevisionException.class);
            assertThatThrownBy(() -> range(store, "", "", 0, 2))
                    .isInstanceOf(FutureRevisionException.class);
            assertThatThrownBy(() -> store.compact(2)).isInstanceOf(FutureRevisionException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void badTransactionsAreRefused(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            assertThatThrownBy(() -> commit(store, put("a", "1"), new Delete("a")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> commit(store, put("", "1")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(store.revision()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void quotaRefusesPutsButNotDeletes(StoreFactory factory) {
        try (Store store = factory.open(directory, 10_000)) {
            commit(store, put("a", "x".repeat(9_000)));
            assertThatThrownBy(() -> commit(store, put("b", "x".repeat(9_000))))
                    .isInstanceOf(StoreFullException.class);
            assertThat(store.get("b", 0)).isEmpty();
            assertThat(store.status().refusedFull()).isEqualTo(1);
            commit(store, new Delete("a"));
            store.compact(store.revision());
            await().until(() -> !store.status().compacting());
            assertThat(commit(store, put("b", "x".repeat(9_000)))).isEqualTo(new Committed(4));
        }
    }

    @ParameterizedTest
    @EnumSource
    void emptyValuesAndLargeOnesAreKept(StoreFactory factory) {
        try (Store store = factory.open(directory)) {
            commit(store, put("empty", ""), put("large", "y".repeat(3_000_000)));
            assertThat(store.get("empty", 0).orElseThrow().value()).isEmpty();
            assertThat(store.get("large", 0).orElseThrow().value()).hasSize(3_000_000);
            assertThat(store.status().keys()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closedStoreRefuses(StoreFactory factory) {
        Store store = factory.open(directory);
        store.close();
        store.close();
        assertThatThrownBy(() -> commit(store, put("a", "1"))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.get("a", 0)).isInstanceOf(StoreException.class);
    }

    private static Store.CommitResult commit(Store store, Operation... operations) {
        return store.commit(List.of(), List.of(operations));
    }

    private static Put put(String key, String value) {
        return new Put(key, value.getBytes(UTF_8));
    }

    private static String entry(Store store, String key, long revision) {
        Optional<Store.Entry> entry = store.get(key, revision);
        return entry.map(RecordingSink::describe).orElse("absent");
    }

    private static String range(
            Store store, String prefix, String after, int limit, long revision) {
        Store.Range range = store.range(new RangeQuery(prefix, after, limit, revision));
        List<String> entries = range.entries().stream()
                .map(entry -> entry.key() + "=" + RecordingSink.describe(entry))
                .toList();
        return entries + " at " + range.revision() + ", " + range.remaining() + " more";
    }
}
