package io.sluice.store.embedded;

import io.sluice.store.FutureRevisionException;
import io.sluice.store.Store.CommitResult;
import io.sluice.store.StoreException;
import io.sluice.store.StoreFullException;
import io.sluice.store.StoreStatus.Mode;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes transactions durable, many with one fsync, and then visible. Everything here belongs to the committer thread, but for the
 * volatile fields, which others read.
 *
 * <p>For each batch: decide ({@link Batch}), append to the log, commit (fsync), move the acknowledged mark, add to the index, show the
 * new revision and queue its events, answer the callers; then, if it is time, checkpoint. While history is to be removed, one step of
 * it follows each batch, and steps follow each other when nobody writes.
 */
final class Committer implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
    private static final int MAX_BATCH = 256;
    private static final long MAX_BATCH_BYTES = 16L << 20;
    /** A write-ahead log so many times its usual size is cut back, waiting for readers. */
    private static final int WAL_FACTOR = 8;

    private static final int VACUUM_PAGES = 64;
    /** The engine's default. */
    private static final int PAGE = 4096;

    private final Path file;
    private final SqliteLog log;
    private final KeyIndex index;
    private final Reserve reserve;
    private final AcknowledgedMark mark;
    private final Watches watches;
    private final EmbeddedOptions options;
    private final BlockingQueue<Request> queue;
    private final AtomicLong refusedFull = new AtomicLong();

    private volatile SqliteLog.State state;
    private volatile Mode mode = Mode.WRITABLE;
    private volatile Optional<String> lastError = Optional.empty();
    private volatile Optional<Compaction> compaction = Optional.empty();

    private boolean vacuuming;
    /** Background work failed: it waits for the next request instead of spinning. */
    private boolean stalled;

    private long walBytes;

    Committer(
            Path file,
            SqliteLog log,
            Loaded loaded,
            Reserve reserve,
            AcknowledgedMark mark,
            Watches watches,
            EmbeddedOptions options,
            BlockingQueue<Request> queue) {
        this.file = file;
        this.log = log;
        this.index = loaded.index();
        this.state = loaded.state();
        this.reserve = reserve;
        this.mark = mark;
        this.watches = watches;
        this.options = options;
        this.queue = queue;
        if (state.compacted() > 0) {
            compaction = Optional.of(
                    new Compaction(index, state.compacted())); // perhaps it was cut short
        }
    }

    /** What the store holds when it is opened. */
    record Loaded(KeyIndex index, SqliteLog.State state) {}

    long compacted() {
        return state.compacted();
    }

    long usedBytes() {
        return state.digest().bytes();
    }

    Mode mode() {
        return mode;
    }

    Optional<String> lastError() {
        return lastError;
    }

    long refusedFull() {
        return refusedFull.get();
    }

    boolean compacting() {
        return compaction.isPresent();
    }

    @Override
    public void run() {
        boolean open = true;
        while (open) {
            List<Request> requests = next();
            open = requests.stream().noneMatch(Request.Close.class::isInstance);
            try {
                handle(requests);
            } catch (RuntimeException | Error e) {
                broken(e, requests);
            }
        }
    }

    private void handle(List<Request> requests) {
        List<Request.Commit> commits = new ArrayList<>();
        for (Request request : requests) {
            switch (request) {
                case Request.Commit commit -> commits.add(commit);
                case Request.Compact compact -> {
                    commit(commits);
                    commits = new ArrayList<>();
                    compact(compact);
                }
                case Request.Close close -> LOG.debug("store {} closes", file);
            }
        }
        commit(commits);
        background();
    }

    /** A fault in this program: nobody may be left waiting, and nothing may be written on what may be wrong by now. */
    private void broken(Throwable error, List<Request> requests) {
        mode = Mode.FAILED;
        String message = "the committer of " + file + " failed: " + error
                + "; writes are refused until it is opened again";
        lastError = Optional.of(message);
        LOG.error("store: {}", message, error);
        requests.forEach(request -> request.fail(new StoreException(message, error)));
    }

    /** Waits for something to do; never, while there is work in the background. */
    private List<Request> next() {
        List<Request> requests = new ArrayList<>();
        boolean busy = !stalled && (compaction.isPresent() || vacuuming);
        Request request = busy ? queue.poll() : take();
        stalled &= request == null;
        long bytes = 0;
        while (request != null) {
            requests.add(request);
            bytes += request instanceof Request.Commit commit ? commit.bytes() : 0;
            boolean enough = requests.size() >= MAX_BATCH || bytes >= MAX_BATCH_BYTES;
            request = enough || request instanceof Request.Close ? null : queue.poll();
        }
        return requests;
    }

    private Request take() {
        while (true) {
            try {
                return queue.take();
            } catch (InterruptedException e) {
                LOG.warn(
                        "store {}: an interrupt of the committer is ignored: only closing the store ends it",
                        file);
            }
        }
    }

    // ---- transactions

    private void commit(List<Request.Commit> commits) {
        List<Request.Commit> admitted = admit(commits);
        if (admitted.isEmpty()) {
            return;
        }
        try {
            write(admitted);
        } catch (SQLException | IOException e) {
            List<Request.Commit> retry = failed(e, admitted);
            if (!retry.isEmpty()) {
                writeOnReserve(retry);
            }
        } catch (RuntimeException e) {
            fail(e, admitted);
        }
    }

    /** Refuses what cannot be written now: everything after a fault, puts when there is no room. */
    private List<Request.Commit> admit(List<Request.Commit> commits) {
        if (mode == Mode.FAILED) {
            StoreException error = new StoreException("commit to " + file
                    + " refused: the disk failed before (" + lastError.orElse("")
                    + "). Reads go on; restart to check the files and write again");
            commits.forEach(commit -> commit.fail(error));
            return List.of();
        }
        List<Request.Commit> admitted = new ArrayList<>();
        long free = options.maxBytes() - usedBytes();
        boolean room = mode == Mode.WRITABLE
                || commits.stream().allMatch(Request.Commit::onlyDeletes)
                || roomAgain();
        for (Request.Commit commit : commits) {
            if (commit.onlyDeletes()) {
                admitted.add(commit);
            } else if (!room) {
                refuse(commit, "the disk is full");
            } else if (commit.bytes() > free) {
                refuse(
                        commit,
                        "its quota of " + options.maxBytes() + " bytes is used up (" + usedBytes()
                                + " held, history included)");
            } else {
                free -= commit.bytes();
                admitted.add(commit);
            }
        }
        return admitted;
    }

    private void refuse(Request.Commit commit, String why) {
        refusedFull.incrementAndGet();
        String message = "commit to " + file + " refused: " + why
                + ". Nothing changed; reads, watches and deletes go on;"
                + " make room, or delete and compact, and writes succeed again";
        lastError = Optional.of(message);
        commit.fail(new StoreFullException(message));
    }

    private void write(List<Request.Commit> commits) throws SQLException, IOException {
        Batch batch = new Batch(index, this::value, state.revision());
        List<CommitResult> results = new ArrayList<>(commits.size());
        for (Request.Commit commit : commits) {
            results.add(batch.add(commit.conditions(), commit.operations()));
        }
        if (!batch.changes().isEmpty()) {
            append(batch);
        }
        for (int i = 0; i < results.size(); i++) {
            commits.get(i).answer().complete(results.get(i));
        }
        checkpoint();
    }

    private void append(Batch batch) throws SQLException, IOException {
        Digest digest = state.digest();
        log.begin();
        for (Batch.Change change : batch.changes()) {
            log.append(change.row(), change.version().checksum);
            digest = digest.plus(change.version());
        }
        SqliteLog.State after = new SqliteLog.State(batch.revision(), state.compacted(), digest);
        log.setState(after);
        log.commit();
        walBytes += digest.bytes() - state.digest().bytes() + 4 * PAGE;
        state = after;
        mark.write(after.revision());
        watches.publish(batch.changes(), after.revision(), () -> {
            for (Batch.Change change : batch.changes()) {
                index.add(change.row().key(), change.version());
            }
        });
    }

    private byte[] value(Version version) throws SQLException {
        byte[] value = version.value;
        return value != null ? value : log.row(version.id).value().orElseThrow();
    }

    // ---- faults

    /** After an error nothing of the batch is acknowledged; says what may be tried again on the reserve. */
    private List<Request.Commit> failed(Exception error, List<Request.Commit> commits) {
        if (!LogConnection.full(error)) {
            fail(error, commits);
            return List.of();
        }
        try {
            log.rollback();
            reserve.release();
        } catch (SQLException | IOException e) {
            e.addSuppressed(error);
            fail(e, commits);
            return List.of();
        }
        if (mode == Mode.WRITABLE) {
            LOG.warn(
                    "store {}: the disk is full: puts are refused, the reserve is given up for deletes",
                    file);
        }
        mode = Mode.FULL;
        List<Request.Commit> deletes = new ArrayList<>();
        for (Request.Commit commit : commits) {
            if (commit.onlyDeletes()) {
                deletes.add(commit);
            } else {
                refuse(commit, "the disk is full (" + error.getMessage() + ")");
            }
        }
        return deletes;
    }

    private void writeOnReserve(List<Request.Commit> deletes) {
        try {
            write(deletes);
        } catch (SQLException | IOException e) {
            if (!LogConnection.full(e)) {
                fail(e, deletes);
                return;
            }
            try {
                log.rollback();
                deletes.forEach(
                        commit -> refuse(commit, "the disk is full and the reserve used up"));
            } catch (SQLException again) {
                fail(again, deletes);
            }
        } catch (RuntimeException e) {
            fail(e, deletes);
        }
    }

    /** The disk did not do what it must: nothing more is written until the files are opened and checked again. */
    private void fail(Exception error, List<Request.Commit> commits) {
        mode = Mode.FAILED;
        String message = "commit to " + file + " failed: " + error.getMessage()
                + ". It was not acknowledged; reads go on, writes are refused until the store is opened again";
        lastError = Optional.of(message);
        LOG.error("store: {}", message, error);
        commits.forEach(commit -> commit.fail(new StoreException(message, error)));
        try {
            log.rollback();
        } catch (SQLException e) {
            LOG.error("store {}: rollback failed too: {}", file, e.getMessage());
        }
    }

    private boolean roomAgain() {
        try {
            if (!reserve.take()) {
                return false;
            }
        } catch (IOException e) {
            lastError =
                    Optional.of("store " + file + ": taking the reserve failed: " + e.getMessage());
            return false;
        }
        LOG.info("store {}: there is room on the disk again, puts are taken", file);
        mode = Mode.WRITABLE;
        return true;
    }

    /** At opening: the room for deletes on a full disk. */
    void takeReserve() throws IOException {
        if (!reserve.take()) {
            mode = Mode.FULL;
            LOG.warn(
                    "store {}: the disk has no room for the reserve: puts are refused until there is",
                    file);
        }
    }

    // ---- housekeeping

    private void compact(Request.Compact request) {
        if (request.revision() > state.revision()) {
            request.fail(new FutureRevisionException("cannot compact " + file + " at revision "
                    + request.revision() + ": the newest is " + state.revision()));
            return;
        }
        if (mode == Mode.FAILED) {
            request.fail(new StoreException(
                    "compaction of " + file + " refused: " + lastError.orElse("")));
            return;
        }
        if (request.revision() > state.compacted()) {
            try {
                SqliteLog.State after =
                        new SqliteLog.State(state.revision(), request.revision(), state.digest());
                changeOnReserve(() -> log.setState(after));
                state = after;
                compaction = Optional.of(new Compaction(index, request.revision()));
            } catch (SQLException | IOException e) {
                request.fail(housekeepingFailed("compaction at revision " + request.revision(), e));
                return;
            }
        }
        request.answer().complete(state.compacted());
    }

    private void background() {
        if (mode == Mode.FAILED || stalled) {
            stalled = true;
            return;
        }
        try {
            if (compaction.isPresent()) {
                remove(compaction.get().next(index));
                if (compaction.get().finished()) {
                    compaction = Optional.empty();
                    vacuuming = true;
                }
            } else if (vacuuming) {
                vacuuming = log.vacuum(VACUUM_PAGES);
                walBytes += 2 * VACUUM_PAGES * PAGE;
                if (!vacuuming) {
                    checkpoint(true); // only this makes the files smaller
                }
            }
            checkpoint();
        } catch (SQLException | IOException e) {
            housekeepingFailed("giving space back", e);
        }
    }

    private void remove(Compaction.Step step) throws SQLException, IOException {
        if (step.rows().isEmpty()) {
            return;
        }
        Digest digest = state.digest();
        for (Version version : step.rows()) {
            digest = digest.minus(version);
        }
        SqliteLog.State after = new SqliteLog.State(state.revision(), state.compacted(), digest);
        changeOnReserve(() -> {
            for (Version version : step.rows()) {
                log.remove(version.id);
            }
            log.setState(after);
        });
        walBytes += step.rows().size() * (long) PAGE;
        state = after;
        step.cuts().forEach(cut -> cut.apply(index));
    }

    /** One transaction that makes room: if the disk is full it is tried once more on the reserve. */
    private void changeOnReserve(Change change) throws SQLException, IOException {
        try {
            transaction(change);
        } catch (SQLException e) {
            log.rollback();
            if (!LogConnection.full(e)) {
                throw e;
            }
            reserve.release();
            mode = Mode.FULL;
            transaction(change);
        }
    }

    private void transaction(Change change) throws SQLException {
        log.begin();
        change.run();
        log.commit();
    }

    private interface Change {
        void run() throws SQLException;
    }

    private StoreException housekeepingFailed(String what, Exception error) {
        stalled = true;
        try {
            log.rollback();
        } catch (SQLException e) {
            error.addSuppressed(e);
        }
        String message = what + " in " + file + " failed: " + error.getMessage();
        lastError = Optional.of(message);
        if (LogConnection.full(error)) {
            LOG.warn("store: {}; it goes on with the next request", message);
            return new StoreFullException(message, error);
        }
        mode = Mode.FAILED;
        LOG.error("store: {}; writes are refused until the store is opened again", message, error);
        return new StoreException(message, error);
    }

    /** Bounds the write-ahead log: taken up from its beginning after each checkpoint no reader is in the way of. */
    private void checkpoint() throws IOException {
        if (walBytes >= options.checkpointBytes()) {
            Path wal = Path.of(file + "-wal");
            checkpoint(
                    Files.exists(wal) && Files.size(wal) > options.checkpointBytes() * WAL_FACTOR);
        }
    }

    private void checkpoint(boolean truncate) {
        walBytes = 0;
        try {
            log.checkpoint(truncate);
        } catch (SQLException e) {
            // Nothing is lost: the log keeps what could not be moved, and the next checkpoint tries
            // again.
            lastError = Optional.of("checkpoint of " + file + " failed: " + e.getMessage());
            LOG.warn("store: {}; it is tried again later", lastError.get());
        }
    }

    void close() throws SQLException, IOException {
        log.close();
        mark.close();
    }
}
