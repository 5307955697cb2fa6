package io.sluice.store.embedded;

import io.sluice.store.Store.Entry;
import io.sluice.store.Store.Event;
import io.sluice.store.StoreException;
import io.sluice.store.StoreWatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One watch: its own (virtual) thread reads history from the log, then takes live transactions from a bounded queue. Everything but
 * {@link #offer}, {@link #end} and {@link #close} runs on that thread.
 */
final class EmbeddedWatch implements StoreWatch, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedWatch.class);
    private static final int PAGE_ROWS = 256;
    /** Closer than this many revisions to the newest, the watch joins the live ones. */
    private static final long NEAR = 256;

    private static final long MAX_QUEUED_BYTES = 64L << 20;
    private static final String CLOSED = "";

    private final String prefix;
    private final Sink sink;
    private final Watches watches;
    private final LogReaders readers;
    private final History history;
    private final LinkedBlockingQueue<Watches.Delivery> queue = new LinkedBlockingQueue<>();
    private final int capacity;

    /** Guarded by itself: bytes in the queue. */
    private final long[] queuedBytes = {0};

    private volatile Optional<String> end = Optional.empty();
    private volatile boolean overrun;
    private long delivered;

    /** Which history is still held. */
    interface History {
        long compactedRevision();
    }

    EmbeddedWatch(
            String prefix,
            long after,
            Sink sink,
            Watches watches,
            LogReaders readers,
            History history,
            int capacity) {
        this.prefix = prefix;
        this.delivered = after;
        this.sink = sink;
        this.watches = watches;
        this.readers = readers;
        this.history = history;
        this.capacity = capacity;
    }

    /** Called under the lock of {@link Watches}; false if the consumer is too slow, which ends the watch. */
    boolean offer(Watches.Delivery delivery) {
        List<Watches.Pending> mine = new ArrayList<>();
        long bytes = 0;
        for (Watches.Pending pending : delivery.changes()) {
            if (pending.row().key().startsWith(prefix)) {
                mine.add(pending);
                bytes += pending.row().size();
            }
        }
        if (mine.isEmpty()) {
            return true;
        }
        if (queue.size() >= capacity || queued(bytes) > MAX_QUEUED_BYTES && !queue.isEmpty()) {
            overrun = true;
            end("the consumer is too slow: " + queue.size() + " transactions wait for it");
            return false;
        }
        queue.add(
                mine.size() == delivery.changes().size()
                        ? delivery
                        : new Watches.Delivery(delivery.revision(), mine));
        return true;
    }

    boolean overrun() {
        return overrun;
    }

    /** Ends the watch from outside; the first reason counts. */
    void end(String why) {
        if (end.isEmpty()) {
            end = Optional.of(why);
        }
        queue.add(new Watches.Delivery(Long.MAX_VALUE, List.of()));
    }

    @Override
    public void close() {
        end(CLOSED);
        watches.leave(this);
    }

    @Override
    public void run() {
        try {
            catchUp();
            live();
        } catch (StoreException e) {
            end(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            end("its thread was interrupted");
        } catch (RuntimeException e) {
            LOG.error(
                    "watch of \"{}\" ends: its consumer failed at revision {}",
                    prefix,
                    delivered,
                    e);
            end("the consumer failed: " + e);
        } finally {
            watches.leave(this);
            end.filter(why -> !why.equals(CLOSED)).ifPresent(sink::onEnd);
        }
    }

    /** Reads history until near the newest revision, joins, and reads the little that is left. */
    private void catchUp() {
        while (end.isEmpty() && watches.revision() - delivered > NEAR) {
            readUpTo(watches.revision());
        }
        readUpTo(watches.join(this));
    }

    private void readUpTo(long revision) {
        long last = Row.id(revision + 1, 0) - 1;
        long at = Row.id(delivered + 1, 0) - 1;
        List<Row> transaction = new ArrayList<>();
        boolean more = delivered < revision;
        while (more && end.isEmpty()) {
            List<Row> rows = readers.after(at, last, PAGE_ROWS);
            for (Row row : rows) {
                if (!transaction.isEmpty() && transaction.getFirst().revision() != row.revision()) {
                    deliverHistory(transaction);
                    transaction = new ArrayList<>();
                }
                transaction.add(row);
                at = row.id();
            }
            checkHeld();
            more = rows.size() == PAGE_ROWS;
        }
        if (end.isEmpty()) {
            deliverHistory(transaction);
            delivered = Math.max(delivered, revision);
        }
    }

    private void checkHeld() {
        if (history.compactedRevision() > delivered) {
            throw new StoreException("revision " + delivered
                    + " was compacted while the watch read history (compacted: "
                    + history.compactedRevision() + ")");
        }
    }

    private void deliverHistory(List<Row> rows) {
        List<Watches.Pending> mine = rows.stream()
                .filter(row -> row.key().startsWith(prefix))
                .map(row -> new Watches.Pending(row, Optional.empty()))
                .toList();
        if (!mine.isEmpty()) {
            deliver(mine.getFirst().row().revision(), mine);
        }
        if (!rows.isEmpty()) {
            delivered = rows.getFirst().revision();
        }
    }

    private void live() throws InterruptedException {
        while (end.isEmpty()) {
            Watches.Delivery delivery = queue.take();
            if (end.isEmpty() && delivery.revision() > delivered) {
                deliver(delivery.revision(), delivery.changes());
                delivered = delivery.revision();
            }
            long bytes = 0;
            for (Watches.Pending pending : delivery.changes()) {
                bytes += pending.row().size();
            }
            queued(-bytes);
        }
    }

    private void deliver(long revision, List<Watches.Pending> changes) {
        List<Long> missing = new ArrayList<>();
        for (Watches.Pending pending : changes) {
            if (pending.previous().isEmpty() && pending.row().previous() != 0) {
                missing.add(pending.row().previous());
            }
        }
        Map<Long, Row> read = missing.isEmpty() ? new HashMap<>() : readers.rows(missing);
        if (read.size() < missing.size()) {
            checkHeld();
            throw new StoreException("the log lacks a row that revision " + revision + " replaced");
        }
        List<Event> events = new ArrayList<>(changes.size());
        for (Watches.Pending pending : changes) {
            Optional<Entry> previous = pending.previous()
                    .or(() -> Optional.ofNullable(read.get(pending.row().previous()))
                            .map(EmbeddedWatch::entry));
            events.add(pending.event(previous));
        }
        sink.onEvents(revision, events);
    }

    private static Entry entry(Row row) {
        return new Entry(row.key(), row.value().orElse(new byte[0]), row.created(), row.revision());
    }

    private long queued(long difference) {
        synchronized (queuedBytes) {
            queuedBytes[0] += difference;
            return queuedBytes[0];
        }
    }
}
