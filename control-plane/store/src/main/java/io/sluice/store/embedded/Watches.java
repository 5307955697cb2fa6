package io.sluice.store.embedded;

import io.sluice.store.Store.Entry;
import io.sluice.store.Store.Event;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The newest revision and who is to hear of what follows, under one lock, so that a watch that joins misses nothing and gets nothing
 * twice. The committer publishes; watches join and leave from any thread.
 */
final class Watches {
    private final List<EmbeddedWatch> live = new ArrayList<>();
    private final AtomicLong ended = new AtomicLong();
    private volatile long revision;

    Watches(long revision) {
        this.revision = revision;
    }

    long revision() {
        return revision;
    }

    /** Adds a watch; it gets everything after the revision returned. */
    synchronized long join(EmbeddedWatch watch) {
        live.add(watch);
        return revision;
    }

    synchronized void leave(EmbeddedWatch watch) {
        live.remove(watch);
    }

    synchronized int size() {
        return live.size();
    }

    synchronized List<EmbeddedWatch> all() {
        return List.copyOf(live);
    }

    long ended() {
        return ended.get();
    }

    /** Shows changes that are on disk: first in the index, then as the newest revision, then to watches. */
    synchronized void publish(List<Batch.Change> changes, long newest, Runnable addToIndex) {
        List<Delivery> deliveries = deliveries(changes);
        addToIndex.run();
        revision = newest;
        for (EmbeddedWatch watch : live) {
            for (Delivery delivery : deliveries) {
                if (!watch.offer(delivery)) {
                    ended.incrementAndGet();
                    break;
                }
            }
        }
        live.removeIf(EmbeddedWatch::overrun);
    }

    /** Built before the index forgets the values that were replaced, and only if somebody watches. */
    private List<Delivery> deliveries(List<Batch.Change> changes) {
        List<Delivery> deliveries = new ArrayList<>();
        if (live.isEmpty()) {
            return deliveries;
        }
        Map<Long, Delivery> byRevision = new HashMap<>();
        for (Batch.Change change : changes) {
            Row row = change.row();
            Delivery delivery = byRevision.computeIfAbsent(row.revision(), r -> {
                Delivery made = new Delivery(r, new ArrayList<>());
                deliveries.add(made);
                return made;
            });
            delivery.changes.add(new Pending(row, Optional.ofNullable(previous(change))));
        }
        return deliveries;
    }

    private static Entry previous(Batch.Change change) {
        Version before = change.version().previous;
        byte[] value = before == null || before.deleted ? null : before.value;
        return value == null
                ? null
                : new Entry(change.row().key(), value, before.created, before.revision());
    }

    /** All changes of one transaction; shared by the watches. */
    record Delivery(long revision, List<Pending> changes) {}

    /**
     * One change on its way.
     *
     * @param previous the entry before, if it was in memory; otherwise the watch reads it by {@code row.previous()}
     */
    record Pending(Row row, Optional<Entry> previous) {

        /** As an event, once the previous entry is known. */
        Event event(Optional<Entry> before) {
            return new Event(row.key(), row.value(), before, row.revision());
        }
    }
}
