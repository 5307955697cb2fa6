package io.sluice.store.embedded;

import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Opens connections to the log, and what reading connections and the writing one have in common: reading rows, checked. */
final class LogConnection {
    static final String COLUMNS = "id, key, value, created, previous, crc";
    static final int BUSY_MILLIS = 5_000;

    private LogConnection() {}

    static Connection open(Path file, boolean readOnly) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MILLIS);
        config.setReadOnly(readOnly);
        if (!readOnly) {
            config.setJournalMode(JournalMode.WAL);
            // FULL: the write-ahead log is flushed at each commit, not only at checkpoints.
            config.setSynchronous(SynchronousMode.FULL);
        }
        return config.createConnection("jdbc:sqlite:" + file);
    }

    /** @throws RowDamagedException if the row is not what was written */
    static Row row(ResultSet result) throws SQLException {
        Optional<byte[]> value = Optional.ofNullable(result.getBytes(3));
        String key = Optional.ofNullable(result.getString(2)).orElse("");
        Row row = new Row(result.getLong(1), key, value, result.getLong(4), result.getLong(5));
        if (row.checksum() != result.getInt(6)) {
            throw new RowDamagedException(row.id(), "its checksum does not match its content");
        }
        return row;
    }

    static PreparedStatement prepareBatchRead(Connection connection, int ids) throws SQLException {
        String marks = String.join(",", Collections.nCopies(ids, "?"));
        return connection.prepareStatement(
                "SELECT " + COLUMNS + " FROM log WHERE id IN (" + marks + ")");
    }

    static void bind(PreparedStatement statement, List<Long> ids, int slots) throws SQLException {
        for (int i = 0; i < slots; i++) {
            statement.setLong(i + 1, i < ids.size() ? ids.get(i) : -1L);
        }
    }

    /** Whether an error says that the disk has no room. */
    static boolean full(Exception error) {
        if (!(error instanceof SQLiteException sqlite)) {
            return false;
        }
        SQLiteErrorCode code = sqlite.getResultCode();
        // Growing the engine's shared index on a full disk is reported as an I/O error of its own
        // kind.
        return code == SQLiteErrorCode.SQLITE_FULL || code == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE;
    }

    /** A row whose content is not what was written; the store refuses to work on it. */
    static final class RowDamagedException extends SQLException {
        private static final long serialVersionUID = 1L;

        RowDamagedException(long id, String finding) {
            super("row " + id + " (revision " + Row.revision(id) + "): " + finding);
        }
    }
}
