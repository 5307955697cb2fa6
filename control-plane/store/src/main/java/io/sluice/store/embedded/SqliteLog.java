package io.sluice.store.embedded;

import org.sqlite.SQLiteErrorCode;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The writing connection to the log. Used by the thread that opens the store, then by the committer thread alone.
 *
 * <p>Table {@code log} holds rows that are only ever appended, or removed by compaction; {@code state} holds one row that says up to
 * which revision, what was compacted, and the digest of all rows.
 */
final class SqliteLog implements AutoCloseable {
    private static final int APPLICATION_ID = 0x534c5543; // "SLUC"
    private static final int FORMAT = 1;

    private final Connection connection;
    private Statements statements;

    private SqliteLog(Connection connection) throws SQLException {
        this.connection = connection;
        this.statements = Statements.prepare(connection);
    }

    /** Prepared once; an error in one of them ends it for good. */
    private record Statements(
            PreparedStatement begin,
            PreparedStatement commit,
            PreparedStatement insert,
            PreparedStatement delete,
            PreparedStatement setState,
            PreparedStatement select) {

        static Statements prepare(Connection connection) throws SQLException {
            return new Statements(
                    connection.prepareStatement("BEGIN IMMEDIATE"),
                    connection.prepareStatement("COMMIT"),
                    connection.prepareStatement(
                            "INSERT INTO log (" + LogConnection.COLUMNS + ") VALUES (?,?,?,?,?,?)"),
                    connection.prepareStatement("DELETE FROM log WHERE id = ?"),
                    connection.prepareStatement(
                            "REPLACE INTO state (one, revision, compacted, rows, sum, bytes, crc)"
                                    + " VALUES (1,?,?,?,?,?,?)"),
                    connection.prepareStatement(
                            "SELECT " + LogConnection.COLUMNS + " FROM log WHERE id = ?"));
        }

        void close() throws SQLException {
            for (PreparedStatement statement :
                    List.of(begin, commit, insert, delete, setState, select)) {
                statement.close();
            }
        }
    }

    static SqliteLog open(Path file) throws SQLException {
        Connection connection = LogConnection.open(file, false);
        boolean opened = false;
        try {
            prepare(connection);
            SqliteLog log = new SqliteLog(connection);
            opened = true;
            return log;
        } finally {
            if (!opened) {
                connection.close();
            }
        }
    }

    private static void prepare(Connection connection) throws SQLException {
        long format = number(connection, "PRAGMA user_version");
        long application = number(connection, "PRAGMA application_id");
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "PRAGMA wal_autocheckpoint = 0"); // the committer does it, after it has
            // answered
            if (format == 0 && application == 0) {
                create(statement);
            } else if (format != FORMAT || application != APPLICATION_ID) {
                throw new SQLException("it is not a store of format " + FORMAT + " (application "
                        + application + ", format " + format + "): use the release that wrote it");
            }
        }
    }

    private static void create(Statement statement) throws SQLException {
        // Vacuum in steps gives space back after compaction; it must be chosen before the first
        // table, and VACUUM makes it so.
        statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
        statement.execute("VACUUM");
        statement.execute("BEGIN IMMEDIATE");
        statement.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB,"
                + " created INTEGER NOT NULL, previous INTEGER NOT NULL, crc INTEGER NOT NULL)");
        statement.execute("CREATE TABLE state (one INTEGER PRIMARY KEY, revision INTEGER NOT NULL,"
                + " compacted INTEGER NOT NULL, rows INTEGER NOT NULL, sum INTEGER NOT NULL, bytes INTEGER NOT NULL,"
                + " crc INTEGER NOT NULL)");
        State empty = State.EMPTY;
        statement.execute("INSERT INTO state VALUES (1," + empty.revision + "," + empty.compacted
                + ",0,0,0," + empty.checksum() + ")");
        statement.execute("PRAGMA application_id = " + APPLICATION_ID);
        statement.execute("PRAGMA user_version = " + FORMAT);
        statement.execute("COMMIT");
    }

    void begin() throws SQLException {
        statements.begin.executeUpdate();
    }

    /** Returns when the transaction is on disk. */
    void commit() throws SQLException {
        statements.commit.executeUpdate();
    }

    /** After an error. The engine may have rolled back by itself (it does when the disk is full); that is not another error. */
    void rollback() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            if (e.getErrorCode() != SQLiteErrorCode.SQLITE_ERROR.code) {
                throw e;
            }
        }
        statements.close();
        statements = Statements.prepare(connection);
    }

    void append(Row row, int checksum) throws SQLException {
        statements.insert.setLong(1, row.id());
        statements.insert.setString(2, row.key());
        statements.insert.setBytes(3, row.value().orElse(null));
        statements.insert.setLong(4, row.created());
        statements.insert.setLong(5, row.previous());
        statements.insert.setInt(6, checksum);
        statements.insert.executeUpdate();
    }

    void remove(long id) throws SQLException {
        statements.delete.setLong(1, id);
        if (statements.delete.executeUpdate() != 1) {
            throw new LogConnection.RowDamagedException(id, "compaction did not find it");
        }
    }

    void setState(State state) throws SQLException {
        statements.setState.setLong(1, state.revision);
        statements.setState.setLong(2, state.compacted);
        statements.setState.setLong(3, state.digest.rows());
        statements.setState.setLong(4, state.digest.sum());
        statements.setState.setLong(5, state.digest.bytes());
        statements.setState.setInt(6, state.checksum());
        statements.setState.executeUpdate();
    }

    State state() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT revision, compacted, rows, sum, bytes, crc FROM state WHERE one = 1")) {
            if (!result.next()) {
                throw new SQLException("its state row is missing");
            }
            Digest digest = new Digest(result.getLong(3), result.getLong(4), result.getLong(5));
            State state = new State(result.getLong(1), result.getLong(2), digest);
            if (state.checksum() != result.getInt(6)) {
                throw new SQLException("its state row's checksum does not match its content");
            }
            return state;
        }
    }

    Row row(long id) throws SQLException {
        statements.select.setLong(1, id);
        try (ResultSet result = statements.select.executeQuery()) {
            if (!result.next()) {
                throw new LogConnection.RowDamagedException(id, "it is missing");
            }
            return LogConnection.row(result);
        }
    }

    /** Reads every row in order of id, checked. */
    void scan(RowConsumer consumer) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT " + LogConnection.COLUMNS + " FROM log ORDER BY id")) {
            while (result.next()) {
                consumer.accept(LogConnection.row(result), result.getInt(6));
            }
        }
    }

    /** Takes a row and its checksum, which was found right. */
    interface RowConsumer {
        void accept(Row row, int checksum);
    }

    /** What the engine itself finds wrong in its file; "ok" if nothing. */
    String check() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("PRAGMA quick_check(1)")) {
            return result.next() ? result.getString(1) : "no answer from quick_check";
        }
    }

    /** Moves the write-ahead log into the main file. @param truncate wait for readers and give its space back */
    void checkpoint(boolean truncate) throws SQLException {
        number(
                connection,
                truncate ? "PRAGMA wal_checkpoint(TRUNCATE)" : "PRAGMA wal_checkpoint(PASSIVE)");
    }

    /** Gives at most so many free pages back to the file system, if many are free; says whether there is more to do. */
    boolean vacuum(int pages) throws SQLException {
        long free = number(connection, "PRAGMA freelist_count");
        if (free < 256 || free < number(connection, "PRAGMA page_count") / 8) {
            return false;
        }
        try (Statement statement = connection.createStatement()) {
            // Runs to its end; as a query it would free one page.
            statement.executeUpdate("PRAGMA incremental_vacuum(" + pages + ")");
        }
        return number(connection, "PRAGMA freelist_count") < free;
    }

    private static long number(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(pragma)) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** The state row. */
    record State(long revision, long compacted, Digest digest) {
        /** The first revision of an empty store is 1. */
        static final State EMPTY = new State(1, 0, Digest.EMPTY);

        int checksum() {
            ByteBuffer bytes = ByteBuffer.allocate(40);
            bytes.putLong(revision).putLong(compacted);
            bytes.putLong(digest.rows())
                    .putLong(digest.sum())
                    .putLong(digest.bytes())
                    .flip();
            CRC32C crc = new CRC32C();
            crc.update(bytes);
            return (int) crc.getValue();
        }
    }
}
