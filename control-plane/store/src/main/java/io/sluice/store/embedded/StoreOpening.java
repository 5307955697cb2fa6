package io.sluice.store.embedded;

import io.sluice.store.StoreException;
import io.sluice.store.StoreFullException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;

/**
 * Opens a store's files: takes the lock, looks at the write-ahead log before the engine does, checks every row, the digest and the
 * acknowledged mark, and loads the index. Nothing is repaired that was acknowledged: then it refuses and says what to do.
 */
final class StoreOpening {
    static final String LOG = "store.db";
    private static final Logger LOGGER = LoggerFactory.getLogger(StoreOpening.class);

    private final Path directory;
    private final Path file;
    private final EmbeddedOptions options;

    StoreOpening(Path directory, EmbeddedOptions options) {
        this.directory = directory;
        this.file = directory.resolve(LOG);
        this.options = options;
    }

    EmbeddedStore.Opened open(BlockingQueue<Request> queue) {
        try (Undo undo = new Undo()) {
            Files.createDirectories(directory);
            DirectoryLock lock = undo.add(DirectoryLock.take(directory));
            AcknowledgedMark mark = undo.add(AcknowledgedMark.open(directory));
            Reserve reserve = Reserve.forDeletes(directory, options.reserveBytes());
            Reserve.forOpening(directory).release();
            boolean cut = inspectWal();
            SqliteLog log = undo.add(SqliteLog.open(file));
            Committer.Loaded loaded = load(log, mark.newest());
            if (cut) {
                LOGGER.warn(
                        "store {}: the last revision kept is {}",
                        directory,
                        loaded.state().revision());
            }
            LogReaders readers = undo.add(new LogReaders(file));
            force(directory);
            Watches watches = new Watches(loaded.state().revision());
            Committer committer =
                    new Committer(file, log, loaded, reserve, mark, watches, options, queue);
            committer.takeReserve();
            undo.keep();
            return new EmbeddedStore.Opened(
                    directory, lock, committer, loaded.index(), readers, watches);
        } catch (IOException | SQLException e) {
            if (LogConnection.full(e)) {
                throw new StoreFullException("cannot open the store in " + directory
                        + ": the disk is full (" + e.getMessage()
                        + "). Make room and start again; nothing was changed");
            }
            throw new StoreException(
                    "cannot open the store in " + directory + ": " + e.getMessage() + ". " + ADVICE,
                    e);
        }
    }

    private static final String ADVICE =
            "If the disk is sound, its files are damaged: nothing was changed; restore the"
                    + " directory from a backup, or move it away to start empty";

    /** Looks at what the last process left; cuts an incomplete end. Says whether it cut. */
    private boolean inspectWal() throws IOException {
        Path wal = directory.resolve(LOG + "-wal");
        Files.deleteIfExists(directory.resolve(
                LOG + "-shm")); // an index of the file above; the engine makes it anew
        return switch (WalFile.inspect(wal)) {
            case WalFile.Finding.Sound sound -> false;
            case WalFile.Finding.Damaged damaged ->
                throw new StoreException("cannot open the store in " + directory + ": in " + wal
                        + " " + damaged.why() + ": acknowledged data is damaged. " + ADVICE);
            case WalFile.Finding.Torn torn -> {
                cut(wal, torn);
                yield true;
            }
        };
    }

    private void cut(Path wal, WalFile.Finding.Torn torn) throws IOException {
        LOGGER.warn(
                "store {}: the write-ahead log ends in an incomplete write ({}): cut {} bytes after {} whole transactions; {}",
                directory,
                torn.why(),
                torn.cut(),
                torn.transactions(),
                keepCopy(wal));
        try (FileChannel channel = FileChannel.open(wal, StandardOpenOption.WRITE)) {
            channel.truncate(torn.keep());
            channel.force(true);
        }
    }

    /** For whoever wants to look; a full disk must not keep the store from opening. */
    private String keepCopy(Path wal) throws IOException {
        Path copy = directory.resolve(LOG + "-wal.cut");
        try {
            Files.copy(wal, copy, StandardCopyOption.REPLACE_EXISTING);
            return "the file as found is kept as " + copy;
        } catch (IOException e) {
            Files.deleteIfExists(copy);
            return "the file as found could not be kept (" + e.getMessage() + ")";
        }
    }

    private Committer.Loaded load(SqliteLog log, long acknowledged) throws SQLException {
        SqliteLog.State state = log.state();
        String check = log.check();
        if (!check.equals("ok")) {
            throw damaged("the engine's own check says: " + check);
        }
        IndexLoader loader = new IndexLoader(new KeyIndex(options.cacheBytes()));
        log.scan(loader::add);
        if (!loader.digest().equals(state.digest())) {
            throw damaged("it holds " + loader.digest() + ", but should hold " + state.digest());
        }
        if (state.revision() < acknowledged) {
            throw damaged("it ends at revision " + state.revision() + ", but writes up to revision "
                    + acknowledged
                    + " were acknowledged. If you restored an older backup on purpose, remove "
                    + directory.resolve(AcknowledgedMark.NAME));
        }
        return new Committer.Loaded(loader.index(), state);
    }

    private StoreException damaged(String finding) {
        return new StoreException("cannot open the store in " + directory + ": " + file
                + " is damaged: " + finding + ". " + ADVICE);
    }

    private static void force(Path directory) throws IOException {
        for (Path path : new Path[] {directory, directory.toAbsolutePath().getParent()}) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
