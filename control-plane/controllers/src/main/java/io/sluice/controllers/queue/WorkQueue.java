package io.sluice.controllers.queue;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Names of things to look at. A key waits at most once; one that is added while it is worked on is worked on again afterwards, never
 * by two at a time. Thread-safe. Its size is bounded by the number of keys there are.
 */
public final class WorkQueue<K> {
    private static final long FIRST_RETRY_NANOS = 100_000_000L;
    private static final long MOST_RETRY_NANOS = 60_000_000_000L;

    private final LongSupplier nanoTime;
    private final PriorityQueue<Entry<K>> waiting = new PriorityQueue<>(
            Comparator.<Entry<K>>comparingLong(Entry::due).thenComparingLong(Entry::sequence));
    private final Map<K, Entry<K>> byKey = new HashMap<>();
    private final Set<K> working = new HashSet<>();
    private final Map<K, Long> againAt = new HashMap<>();
    private final Map<K, Integer> failures = new HashMap<>();
    private long sequence;
    private boolean closed;

    private record Entry<K>(K key, long due, long sequence) {}

    public WorkQueue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** To be looked at now. */
    public void add(K key) {
        addAfter(key, Duration.ZERO);
    }

    /** To be looked at then, or sooner if it waits already for sooner. */
    public synchronized void addAfter(K key, Duration delay) {
        long due = nanoTime.getAsLong() + delay.toNanos();
        if (closed) {
            return;
        }
        if (working.contains(key)) {
            againAt.merge(key, due, Math::min);
            return;
        }
        Entry<K> present = byKey.get(key);
        if (present != null) {
            if (present.due() <= due) {
                return;
            }
            waiting.remove(present);
        }
        Entry<K> entry = new Entry<>(key, due, sequence++);
        byKey.put(key, entry);
        waiting.add(entry);
        notifyAll();
    }

    /** The next key that is due; waits for one. Empty when the queue is closed. Each must be given back with {@link #done}. */
    public synchronized Optional<K> take() throws InterruptedException {
        while (!closed) {
            Entry<K> head = waiting.peek();
            long wait = head == null ? Long.MAX_VALUE : head.due() - nanoTime.getAsLong();
            if (wait <= 0) {
                waiting.poll();
                byKey.remove(head.key());
                working.add(head.key());
                return Optional.of(head.key());
            }
            if (head == null) {
                wait();
            } else {
                wait(wait / 1_000_000 + 1);
            }
        }
        return Optional.empty();
    }

    /** The work is over; @param success false brings the key back after a growing wait */
    public synchronized void done(K key, boolean success) {
        working.remove(key);
        Long again = againAt.remove(key);
        if (success) {
            failures.remove(key);
        } else {
            int count = failures.merge(key, 1, Integer::sum);
            long retry = Math.min(FIRST_RETRY_NANOS << Math.min(count - 1, 20), MOST_RETRY_NANOS);
            addAfter(key, Duration.ofNanos(retry));
        }
        if (again != null) {
            addAfter(key, Duration.ofNanos(Math.max(0, again - nanoTime.getAsLong())));
        }
    }

    public synchronized int size() {
        return waiting.size();
    }

    /** Forgets what waits; nothing is taken or given any more. */
    public synchronized void close() {
        closed = true;
        waiting.clear();
        byKey.clear();
        notifyAll();
    }
}
