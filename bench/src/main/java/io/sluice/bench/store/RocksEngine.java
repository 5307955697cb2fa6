package io.sluice.bench.store;

import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** One column family with the defaults, write-ahead log flushed at each batch. */
final class RocksEngine implements Engine {
    private final Options options = new Options().setCreateIfMissing(true);
    private final WriteOptions sync = new WriteOptions().setSync(true);
    private final RocksDB db;

    RocksEngine(Path directory) throws RocksDBException {
        RocksDB.loadLibrary();
        db = RocksDB.open(options, directory.toString());
    }

    @Override
    public void write(List<Pair> pairs) throws RocksDBException {
        try (WriteBatch batch = new WriteBatch()) {
            for (Pair pair : pairs) {
                batch.put(pair.key().getBytes(StandardCharsets.UTF_8), pair.value());
            }
            db.write(sync, batch);
        }
    }

    @Override
    public byte[] get(String key) throws RocksDBException {
        byte[] value = db.get(key.getBytes(StandardCharsets.UTF_8));
        return value == null ? new byte[0] : value;
    }

    @Override
    public long list(int count) {
        long bytes = 0;
        try (RocksIterator iterator = db.newIterator()) {
            iterator.seekToFirst();
            for (int i = 0; i < count && iterator.isValid(); i++, iterator.next()) {
                bytes += iterator.key().length + iterator.value().length;
            }
        }
        return bytes;
    }

    @Override
    public void close() {
        db.close();
        sync.close();
        options.close();
    }
}
