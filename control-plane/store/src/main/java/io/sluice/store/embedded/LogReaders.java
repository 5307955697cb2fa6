package io.sluice.store.embedded;

import io.sluice.store.StoreException;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A few reading connections, lent to any thread for one statement at a time: no read transaction lasts, so the write-ahead log can
 * always be taken up again from its beginning.
 */
final class LogReaders implements AutoCloseable {
    private static final int CONNECTIONS = 4;
    private static final int SLOTS = 128;

    private final Path file;
    private final LinkedBlockingQueue<Reader> idle = new LinkedBlockingQueue<>();

    LogReaders(Path file) throws SQLException {
        this.file = file;
        for (int i = 0; i < CONNECTIONS; i++) {
            idle.add(Reader.open(file));
        }
    }

    /** The rows that exist among the ids, by id. */
    Map<Long, Row> rows(List<Long> ids) {
        Map<Long, Row> rows = HashMap.newHashMap(ids.size());
        for (int from = 0; from < ids.size(); from += SLOTS) {
            List<Long> part = ids.subList(from, Math.min(ids.size(), from + SLOTS));
            withReader(reader -> {
                for (Row row : part.size() == 1 ? reader.one(part.get(0)) : reader.some(part)) {
                    rows.put(row.id(), row);
                }
                return rows;
            });
        }
        return rows;
    }

    /** Rows after one id up to another, in order. */
    List<Row> after(long id, long last, int limit) {
        return withReader(reader -> reader.after(id, last, limit));
    }

    private <T> T withReader(Query<T> query) {
        Reader reader = borrow();
        try {
            return query.run(reader);
        } catch (SQLException e) {
            reader = renew(reader, e);
            throw new StoreException("read of " + file + " failed: " + e.getMessage(), e);
        } finally {
            idle.add(reader);
        }
    }

    /** An error ends a prepared statement for good. */
    private static Reader renew(Reader reader, SQLException error) {
        try {
            return Reader.prepare(reader.connection);
        } catch (SQLException e) {
            error.addSuppressed(e);
            return reader;
        }
    }

    private Reader borrow() {
        try {
            return idle.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("read of " + file + " was interrupted; nothing was read", e);
        }
    }

    /** Waits for reads under way; later ones fail. */
    @Override
    public void close() throws SQLException {
        List<Reader> all = new ArrayList<>();
        while (all.size() < CONNECTIONS) {
            all.add(borrow());
        }
        for (Reader reader : all) {
            reader.connection.close();
        }
        idle.addAll(all);
    }

    private interface Query<T> {
        T run(Reader reader) throws SQLException;
    }

    private record Reader(
            Connection connection,
            PreparedStatement one,
            PreparedStatement some,
            PreparedStatement after) {

        static Reader open(Path file) throws SQLException {
            return prepare(LogConnection.open(file, true));
        }

        static Reader prepare(Connection connection) throws SQLException {
            return new Reader(
                    connection,
                    LogConnection.prepareBatchRead(connection, 1),
                    LogConnection.prepareBatchRead(connection, SLOTS),
                    connection.prepareStatement("SELECT " + LogConnection.COLUMNS
                            + " FROM log WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"));
        }

        List<Row> one(long id) throws SQLException {
            one.setLong(1, id);
            return run(one);
        }

        List<Row> some(List<Long> ids) throws SQLException {
            LogConnection.bind(some, ids, SLOTS);
            return run(some);
        }

        List<Row> after(long id, long last, int limit) throws SQLException {
            after.setLong(1, id);
            after.setLong(2, last);
            after.setInt(3, limit);
            return run(after);
        }

        private static List<Row> run(PreparedStatement statement) throws SQLException {
            List<Row> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(LogConnection.row(result));
                }
            }
            return rows;
        }
    }
}
