package io.sluice.store.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.Store;
import io.sluice.store.Store.CommitResult.Committed;
import io.sluice.store.Store.Operation;

import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * A process to be killed: several writers, each with its own keys, whose n-th transaction follows from the seed, the writer and n. Each
 * acknowledgement is told on the standard output at once.
 */
final class KilledWriter {
    static final int WRITERS = 4;

    private KilledWriter() {}

    static EmbeddedStore open(Path directory) {
        return io.sluice.store.StoreFactory.embedded(
                directory, StoreFiles.SMALL.withCheckpointBytes(200_000));
    }

    /** Arguments: directory, seed. */
    public static void main(String[] arguments) {
        EmbeddedStore store = open(Path.of(arguments[0]));
        long seed = Long.parseLong(arguments[1]);
        DataOutputStream out = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        for (int writer = 0; writer < WRITERS; writer++) {
            int own = writer;
            Thread.ofPlatform().start(() -> write(store, seed, own, out));
        }
    }

    private static void write(Store store, long seed, int writer, DataOutputStream out) {
        try {
            for (int n = last(store, writer) + 1; ; n++) {
                Store.CommitResult result = store.commit(List.of(), transaction(seed, writer, n));
                synchronized (out) {
                    out.writeByte(writer);
                    out.writeInt(n);
                }
                if (n % 97 == 0 && result instanceof Committed committed) {
                    store.compact(Math.max(1, committed.revision() - 50));
                }
            }
        } catch (IOException e) {
            Runtime.getRuntime().halt(1); // nobody listens any more
        }
    }

    static int last(Store store, int writer) {
        return store.get(lastKey(writer), 0)
                .map(entry -> Integer.parseInt(new String(entry.value(), UTF_8)))
                .orElse(0);
    }

    private static String lastKey(int writer) {
        return writer + "/last";
    }

    static List<Operation> transaction(long seed, int writer, int n) {
        Random random = new Random(seed * 1_000_003 + writer * 31L + n * 7_919L);
        List<Operation> operations = new ArrayList<>();
        operations.add(new Operation.Put(lastKey(writer), Integer.toString(n).getBytes(UTF_8)));
        String key = writer + "/key" + random.nextInt(30);
        if (random.nextInt(4) == 0) {
            operations.add(new Operation.Delete(key));
        } else {
            byte[] value = (n + ",").repeat(random.nextInt(500)).getBytes(UTF_8);
            operations.add(new Operation.Put(key, value));
        }
        return operations;
    }

    /** What a writer's keys hold after its first n transactions. */
    static TreeMap<String, String> model(long seed, int writer, int n) {
        TreeMap<String, String> model = new TreeMap<>();
        for (int i = 1; i <= n; i++) {
            for (Operation operation : transaction(seed, writer, i)) {
                if (operation instanceof Operation.Put put) {
                    model.put(put.key(), new String(put.value(), UTF_8));
                } else {
                    model.remove(operation.key());
                }
            }
        }
        return model;
    }
}
