package io.sluice.store.embedded;

import io.sluice.store.CompactedException;
import io.sluice.store.FutureRevisionException;
import io.sluice.store.Store;
import io.sluice.store.StoreBusyException;
import io.sluice.store.StoreException;
import io.sluice.store.StoreFullException;
import io.sluice.store.StoreStatus;
import io.sluice.store.StoreWatch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The store in a directory of this machine. Reads run on the caller's thread against the index in memory and, for values not kept
 * there, reading connections; writes go through the {@link Committer}'s queue.
 */
public final class EmbeddedStore implements Store {
    private final Path directory;
    private final EmbeddedOptions options;
    private final DirectoryLock lock;
    private final Committer committer;
    private final Thread committerThread;
    private final KeyIndex index;
    private final LogReaders readers;
    private final Watches watches;
    private final ThreadFactory watchThreads;
    private final BlockingQueue<Request> queue;
    private final AtomicLong refusedBusy = new AtomicLong();
    private volatile boolean closed;

    EmbeddedStore(
            Opened opened,
            EmbeddedOptions options,
            BlockingQueue<Request> queue,
            ThreadFactory committerThreads,
            ThreadFactory watchThreads) {
        this.directory = opened.directory();
        this.options = options;
        this.lock = opened.lock();
        this.committer = opened.committer();
        this.index = opened.index();
        this.readers = opened.readers();
        this.watches = opened.watches();
        this.queue = queue;
        this.watchThreads = watchThreads;
        this.committerThread = committerThreads.newThread(committer);
    }

    /** The parts of a store whose files were checked. */
    record Opened(
            Path directory,
            DirectoryLock lock,
            Committer committer,
            KeyIndex index,
            LogReaders readers,
            Watches watches) {}

    /**
     * Opens the store in a directory, which is made if it is missing, after checking everything in it.
     *
     * @param committerThreads makes the one thread that writes; a platform thread
     * @param watchThreads makes one thread for each watch; virtual threads do
     * @throws StoreException if the directory is in use, or its files are damaged: the message says where and what to do
     */
    public static EmbeddedStore open(
            Path directory,
            EmbeddedOptions options,
            ThreadFactory committerThreads,
            ThreadFactory watchThreads) {
        BlockingQueue<Request> queue = new LinkedBlockingQueue<>();
        Opened opened = new StoreOpening(directory, options).open(queue);
        EmbeddedStore store =
                new EmbeddedStore(opened, options, queue, committerThreads, watchThreads);
        store.committerThread.start();
        return store;
    }

    @Override
    public long revision() {
        return watches.revision();
    }

    @Override
    public long compactedRevision() {
        return committer.compacted();
    }

    @Override
    public Optional<Entry> get(String key, long revision) {
        return read(revision, at -> {
                    Version version = Optional.ofNullable(index.newest(key))
                            .map(v -> v.at(at))
                            .orElse(null);
                    if (version == null || version.deleted) {
                        return Optional.of(new Range(List.of(), at, 0));
                    }
                    return entries(List.of(new Found(key, version)))
                            .map(entries -> new Range(entries, at, 0));
                })
                .entries()
                .stream()
                .findFirst();
    }

    @Override
    public Range range(RangeQuery query) {
        return read(query.revision(), at -> {
            List<Found> found = new ArrayList<>();
            long remaining = 0;
            boolean continued = KeyOrder.INSTANCE.compare(query.after(), query.prefix()) >= 0;
            Iterator<Map.Entry<String, Version>> keys = index.from(
                    continued ? query.after() : query.prefix(),
                    !continued || query.after().isEmpty());
            while (keys.hasNext()) {
                Map.Entry<String, Version> next = keys.next();
                if (!next.getKey().startsWith(query.prefix())) {
                    break;
                }
                Version version = next.getValue().at(at);
                if (version != null && version.exists()) {
                    if (query.limit() == 0 || found.size() < query.limit()) {
                        found.add(new Found(next.getKey(), version));
                    } else {
                        remaining++;
                    }
                }
            }
            long left = remaining;
            return entries(found).map(entries -> new Range(entries, at, left));
        });
    }

    /** A key and the version of it to be read. */
    private record Found(String key, Version version) {}

    /** Reads as of a revision; empty if a row is gone. */
    private interface Reading {
        Optional<Range> at(long revision);
    }

    /**
     * Reads without a lock: what was read counts only if compaction did not pass the revision meanwhile. The newest state is then read
     * again, at a newer revision.
     */
    private Range read(long asked, Reading reading) {
        checkOpen();
        while (true) {
            long at = asked == 0 ? watches.revision() : asked;
            if (at > watches.revision()) {
                throw new FutureRevisionException("read of " + directory + " at revision " + asked
                        + " refused: the newest is " + watches.revision());
            }
            Optional<Range> range = reading.at(at);
            if (committer.compacted() <= at) {
                return range.orElseThrow(
                        () -> new StoreException(
                                "read of " + directory + " at revision " + at
                                        + " failed: the log lacks a row the index knows. Stop, and restore from a backup"));
            }
            if (asked != 0) {
                throw new CompactedException("read of " + directory + " at revision " + asked
                        + " refused: history below " + committer.compacted() + " is compacted");
            }
        }
    }

    private Optional<List<Entry>> entries(List<Found> found) {
        byte[][] values = new byte[found.size()][];
        List<Long> missing = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            values[i] = found.get(i).version.value;
            if (values[i] == null) {
                missing.add(found.get(i).version.id);
            }
        }
        Map<Long, Row> rows = missing.isEmpty() ? Map.of() : readers.rows(missing);
        if (rows.size() < missing.size()) {
            return Optional.empty();
        }
        List<Entry> entries = new ArrayList<>(values.length);
        for (int i = 0; i < values.length; i++) {
            Version version = found.get(i).version;
            byte[] value =
                    values[i] != null ? values[i] : rows.get(version.id).value().orElseThrow();
            entries.add(new Entry(found.get(i).key, value, version.created, version.revision()));
        }
        return Optional.of(entries);
    }

    @Override
    public CommitResult commit(List<Condition> conditions, List<Operation> operations) {
        check(operations);
        CompletableFuture<CommitResult> answer = new CompletableFuture<>();
        submit(new Request.Commit(List.copyOf(conditions), List.copyOf(operations), answer));
        return await(answer, "commit");
    }

    private void check(List<Operation> operations) {
        if (operations.size() > Row.MAX_OPERATIONS) {
            throw new IllegalArgumentException("a transaction of " + operations.size()
                    + " operations exceeds " + Row.MAX_OPERATIONS);
        }
        Set<String> keys = new HashSet<>();
        for (Operation operation : operations) {
            String key = operation.key();
            if (!keys.add(key)) {
                throw new IllegalArgumentException(
                        "key \"" + key + "\" appears twice in one transaction");
            }
            boolean writable = !key.isEmpty()
                    && key.indexOf('\0') < 0
                    && StandardCharsets.UTF_8.newEncoder().canEncode(key);
            if (!writable) {
                throw new IllegalArgumentException("key \"" + key
                        + "\" must be non-empty text without NUL and unpaired surrogates");
            }
        }
    }

    private void submit(Request request) {
        synchronized (queue) { // so that nothing can be queued behind the closing request
            checkOpen();
            if (queue.size() >= options.queueCapacity()) {
                refusedBusy.incrementAndGet();
                throw new StoreBusyException("commit to " + directory + " refused: " + queue.size()
                        + " transactions wait already; try again");
            }
            queue.add(request);
        }
    }

    private <T> T await(CompletableFuture<T> answer, String what) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(
                    what + " to " + directory + " was interrupted; its outcome is unknown", e);
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case FutureRevisionException future -> future;
                case StoreFullException full -> full;
                case Throwable other ->
                    new StoreException(String.valueOf(other.getMessage()), other);
            };
        }
    }

    @Override
    public StoreWatch watch(String prefix, long afterRevision, StoreWatch.Sink sink) {
        checkOpen();
        long after = afterRevision == 0 ? watches.revision() : afterRevision;
        if (after < committer.compacted()) {
            throw new CompactedException("watch of \"" + prefix + "\" after revision " + after
                    + " refused: history below " + committer.compacted() + " is compacted");
        }
        EmbeddedWatch watch = new EmbeddedWatch(
                prefix,
                after,
                sink,
                watches,
                readers,
                committer::compacted,
                options.watchQueueCapacity());
        watchThreads.newThread(watch).start();
        return watch;
    }

    @Override
    public void compact(long revision) {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        submit(new Request.Compact(revision, answer));
        await(answer, "compaction");
    }

    @Override
    public StoreStatus status() {
        return new StoreStatus(
                sizeOnDisk(),
                committer.usedBytes(),
                index.existing(),
                revision(),
                compactedRevision(),
                queue.size(),
                committer.refusedFull(),
                refusedBusy.get(),
                watches.size(),
                watches.ended(),
                committer.compacting(),
                committer.mode(),
                committer.lastError());
    }

    private long sizeOnDisk() {
        long bytes = 0;
        for (String name : List.of(StoreOpening.LOG, StoreOpening.LOG + "-wal", Reserve.NAME)) {
            try {
                bytes += Files.size(directory.resolve(name));
            } catch (IOException e) {
                continue; // it does not exist at the moment
            }
        }
        return bytes;
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreException("the store in " + directory + " is closed");
        }
    }

    /** Answers what is queued, ends watches, and lets go of the directory. */
    @Override
    public void close() {
        synchronized (queue) {
            if (closed) {
                return;
            }
            closed = true;
            queue.add(new Request.Close());
        }
        boolean interrupted = Threads.join(committerThread);
        watches.all().forEach(watch -> watch.end("the store closes"));
        try {
            readers.close();
            committer.close();
            Reserve.forOpening(directory).take();
            lock.close();
        } catch (SQLException | IOException e) {
            throw new StoreException(
                    "closing the store in " + directory + " failed: " + e.getMessage(), e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
