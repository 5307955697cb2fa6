package io.sluice.store.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.RecordingSink;
import io.sluice.store.Store;
import io.sluice.store.Store.Operation;
import io.sluice.store.Store.RangeQuery;
import io.sluice.store.StoreFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A store's files as they are at some moment, to be spoilt and opened again. */
final class StoreFiles {
    static final String DB = StoreOpening.LOG;
    static final String WAL = StoreOpening.LOG + "-wal";
    static final EmbeddedOptions SMALL = EmbeddedOptions.defaults().withReserveBytes(4096);

    private StoreFiles() {}

    static Map<String, byte[]> read(Path directory) {
        Map<String, byte[]> files = new HashMap<>();
        try {
            for (String name : List.of(DB, WAL, AcknowledgedMark.NAME)) {
                if (Files.exists(directory.resolve(name))) {
                    files.put(name, Files.readAllBytes(directory.resolve(name)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    static void write(Path directory, Map<String, byte[]> files) {
        try {
            Files.createDirectories(directory);
            for (String name : List.of(DB, WAL, AcknowledgedMark.NAME)) {
                if (files.containsKey(name)) {
                    Files.write(directory.resolve(name), files.get(name));
                } else {
                    Files.deleteIfExists(directory.resolve(name));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static EmbeddedStore open(Path directory) {
        return StoreFactory.embedded(directory, SMALL);
    }

    /** The newest state as text, by key. */
    static TreeMap<String, String> state(Store store) {
        TreeMap<String, String> state = new TreeMap<>();
        for (Store.Entry entry : store.range(new RangeQuery("", "", 0, 0)).entries()) {
            state.put(entry.key(), RecordingSink.describe(entry));
        }
        return state;
    }

    /** A transaction of up to three changes. */
    static List<Operation> randomOperations(Random random) {
        Map<String, Operation> operations = new HashMap<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String key = "key" + random.nextInt(40);
            byte[] value =
                    ("v" + random.nextInt(100)).repeat(random.nextInt(400)).getBytes(UTF_8);
            boolean delete = random.nextInt(4) == 0;
            operations.put(key, delete ? new Operation.Delete(key) : new Operation.Put(key, value));
        }
        return List.copyOf(operations.values());
    }

    /** Writes transactions; says what the state was after each revision. */
    static TreeMap<Long, TreeMap<String, String>> fill(
            Store store, Random random, int transactions) {
        TreeMap<Long, TreeMap<String, String>> states = new TreeMap<>();
        states.put(store.revision(), state(store));
        for (int i = 0; i < transactions; i++) {
            store.commit(List.of(), randomOperations(random));
            states.put(store.revision(), state(store));
        }
        return states;
    }
}
