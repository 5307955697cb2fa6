package io.sluice.bench.store;

import org.sqlite.SQLiteConfig;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** One table by key, write-ahead log, flushed at each commit. */
final class SqliteEngine implements Engine {
    private final Connection writer;
    private final Connection reader;
    private final PreparedStatement put;
    private final PreparedStatement get;
    private final PreparedStatement list;
    private long written;

    SqliteEngine(Path directory) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        String url = "jdbc:sqlite:" + directory.resolve("trial.db");
        writer = config.createConnection(url);
        run("CREATE TABLE IF NOT EXISTS pairs (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
        run("PRAGMA wal_autocheckpoint = 0");
        reader = config.createConnection(url);
        put = writer.prepareStatement("REPLACE INTO pairs VALUES (?, ?)");
        get = reader.prepareStatement("SELECT value FROM pairs WHERE key = ?");
        list = reader.prepareStatement("SELECT key, value FROM pairs ORDER BY key LIMIT ?");
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = writer.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void write(List<Pair> pairs) throws SQLException {
        run("BEGIN IMMEDIATE");
        for (Pair pair : pairs) {
            put.setString(1, pair.key());
            put.setBytes(2, pair.value());
            put.executeUpdate();
            written += pair.value().length;
        }
        run("COMMIT");
        if (written > 8 << 20) {
            written = 0;
            run("PRAGMA wal_checkpoint(PASSIVE)");
        }
    }

    @Override
    public byte[] get(String key) throws SQLException {
        get.setString(1, key);
        try (ResultSet result = get.executeQuery()) {
            return result.next() ? result.getBytes(1) : new byte[0];
        }
    }

    @Override
    public long list(int count) throws SQLException {
        list.setInt(1, count);
        long bytes = 0;
        try (ResultSet result = list.executeQuery()) {
            while (result.next()) {
                bytes += result.getString(1).length() + result.getBytes(2).length;
            }
        }
        return bytes;
    }

    @Override
    public void close() throws SQLException {
        reader.close();
        writer.close();
    }
}
