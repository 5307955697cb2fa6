package io.sluice.store.twin;

import io.sluice.store.CompactedException;
import io.sluice.store.FutureRevisionException;
import io.sluice.store.Store;
import io.sluice.store.StoreException;
import io.sluice.store.StoreFullException;
import io.sluice.store.StoreStatus;
import io.sluice.store.StoreStatus.Mode;
import io.sluice.store.StoreWatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Keeps a full copy of all keys for each revision and every event that ever was; keys in this twin must be plain ASCII. */
public final class TwinStore implements Store {
    private final TreeMap<Long, TreeMap<String, Entry>> states = new TreeMap<>();
    private final List<Event> events = new ArrayList<>();
    private final List<TwinWatch> watches = new ArrayList<>();
    private final long maxBytes;
    private long compacted;
    private long refused;
    private boolean closed;

    public TwinStore(long maxBytes) {
        this.maxBytes = maxBytes;
        states.put(1L, new TreeMap<>());
    }

    @Override
    public synchronized long revision() {
        return states.lastKey();
    }

    @Override
    public synchronized long compactedRevision() {
        return compacted;
    }

    @Override
    public synchronized Optional<Entry> get(String key, long revision) {
        return Optional.ofNullable(state(revision).get(key));
    }

    @Override
    public synchronized Range range(RangeQuery query) {
        List<Entry> all = state(query.revision()).values().stream()
                .filter(e ->
                        e.key().startsWith(query.prefix()) && e.key().compareTo(query.after()) > 0)
                .toList();
        int count = query.limit() == 0 ? all.size() : Math.min(query.limit(), all.size());
        long at = query.revision() == 0 ? revision() : query.revision();
        return new Range(all.subList(0, count), at, all.size() - count);
    }

    private TreeMap<String, Entry> state(long revision) {
        checkOpen();
        if (revision > revision()) {
            throw new FutureRevisionException("twin: " + revision + " is ahead of " + revision());
        }
        if (revision != 0 && revision < compacted) {
            throw new CompactedException("twin: " + revision + " is below " + compacted);
        }
        return states.get(revision == 0 ? revision() : revision);
    }

    @Override
    public synchronized CommitResult commit(
            List<Condition> conditions, List<Operation> operations) {
        checkOpen();
        long keys = operations.stream().map(Operation::key).distinct().count();
        if (keys < operations.size()
                || operations.stream().anyMatch(o -> o.key().isEmpty())) {
            throw new IllegalArgumentException("twin: empty key, or twice in one transaction");
        }
        long bytes = operations.stream().mapToLong(TwinStore::bytes).sum();
        if (bytes > 0 && used() + bytes > maxBytes) {
            refused++;
            throw new StoreFullException("twin: the quota is used up");
        }
        TreeMap<String, Entry> now = new TreeMap<>(state(0));
        for (Condition condition : conditions) {
            Optional<Entry> found = Optional.ofNullable(now.get(condition.key()));
            if (found.map(Entry::modRevision).orElse(0L) != condition.modRevision()) {
                return new CommitResult.Conflict(condition.key(), found);
            }
        }
        List<Event> made = apply(now, operations);
        if (!made.isEmpty()) {
            states.put(revision() + 1, now);
            events.addAll(made);
            List.copyOf(watches).forEach(watch -> watch.offer(made));
        }
        return new CommitResult.Committed(revision());
    }

    private List<Event> apply(TreeMap<String, Entry> now, List<Operation> operations) {
        long next = revision() + 1;
        List<Event> made = new ArrayList<>();
        for (Operation operation : operations) {
            Optional<Entry> before = Optional.ofNullable(now.get(operation.key()));
            if (operation instanceof Operation.Put put) {
                long created = before.map(Entry::createRevision).orElse(next);
                now.put(put.key(), new Entry(put.key(), put.value(), created, next));
                made.add(new Event(put.key(), Optional.of(put.value()), before, next));
            } else if (before.isPresent()) {
                now.remove(operation.key());
                made.add(new Event(operation.key(), Optional.empty(), before, next));
            }
        }
        return made;
    }

    private static long bytes(Operation operation) {
        return operation instanceof Operation.Put put ? put.key().length() + put.value().length : 0;
    }

    private long used() {
        Stream<Entry> entries = states.values().stream().flatMap(state -> state.values().stream());
        return entries.distinct()
                .mapToLong(e -> 48 + e.key().length() + e.value().length)
                .sum();
    }

    @Override
    public synchronized StoreWatch watch(String prefix, long afterRevision, StoreWatch.Sink sink) {
        checkOpen();
        long after = afterRevision == 0 ? revision() : afterRevision;
        if (after < compacted) {
            throw new CompactedException("twin: events after " + after + " are below " + compacted);
        }
        TwinWatch watch = new TwinWatch(this, prefix, after, sink);
        watches.add(watch);
        events.stream()
                .collect(java.util.stream.Collectors.groupingBy(
                        Event::revision, TreeMap::new, java.util.stream.Collectors.toList()))
                .values()
                .forEach(watch::offer);
        return watch;
    }

    private record TwinWatch(TwinStore store, String prefix, long after, Sink sink)
            implements StoreWatch {

        void offer(List<Event> transaction) {
            List<Event> mine =
                    transaction.stream().filter(e -> e.key().startsWith(prefix)).toList();
            if (!mine.isEmpty() && mine.getFirst().revision() > after) {
                sink.onEvents(mine.getFirst().revision(), mine);
            }
        }

        @Override
        public void close() {
            synchronized (store) {
                store.watches.remove(this);
            }
        }
    }

    @Override
    public synchronized void compact(long revision) {
        checkOpen();
        if (revision > revision()) {
            throw new FutureRevisionException("twin: " + revision + " is ahead of " + revision());
        }
        compacted = Math.max(compacted, revision);
        states.headMap(compacted).clear();
        events.removeIf(event -> event.revision() <= compacted);
    }

    @Override
    public synchronized StoreStatus status() {
        return new StoreStatus(
                0,
                used(),
                state(0).size(),
                revision(),
                compacted,
                0,
                refused,
                0,
                watches.size(),
                0,
                false,
                Mode.WRITABLE,
                Optional.empty());
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreException("twin: closed");
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        watches.forEach(watch -> watch.sink().onEnd("the store closes"));
        watches.clear();
    }
}
