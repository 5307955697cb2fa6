package io.sluice.bench.store;

import io.sluice.bench.store.Engine.Pair;
import io.sluice.store.Store;
import io.sluice.store.embedded.EmbeddedOptions;
import io.sluice.store.embedded.EmbeddedStore;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Puts engines and our store beside each other: durable writes with 1, 16 and 64 clients, get, list, opening again, resident memory.
 * Each subject runs in a process of its own, one after the other, so that memory is its own; rounds alternate.
 *
 * <p>Arguments: {@code DIRECTORY [SECONDS [ROUNDS]]} for the table; {@code DIRECTORY SECONDS SUBJECT} for one row.
 */
public final class StoreTrial {
    private static final int VALUE_BYTES = 2048;
    private static final int LISTED = 10_000;
    private static final List<String> SUBJECTS = List.of("sqlite", "rocksdb", "sluice");

    private StoreTrial() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        if (arguments.length > 2 && SUBJECTS.contains(arguments[2])) {
            row(arguments[2], directory, seconds, System.out);
            return;
        }
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 3;
        System.out.println(
                "subject  | 1 client w/s p50/p99 ms | 16 clients | 64 clients | get us | list 10k ms | open ms"
                        + " | disk/data | RSS MB");
        for (int round = 0; round < rounds; round++) {
            for (String subject : SUBJECTS) {
                child(
                        subject,
                        Files.createTempDirectory(Files.createDirectories(directory), subject),
                        seconds);
            }
        }
    }

    private static void child(String subject, Path directory, int seconds) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StoreTrial.class.getName(),
                        directory.toString(),
                        Integer.toString(seconds),
                        subject)
                .inheritIO()
                .start();
        int code = process.waitFor();
        delete(directory);
        if (code != 0) {
            throw new IllegalStateException("the trial of " + subject + " ended with code " + code);
        }
    }

    /** One put by one client, durable when it returns; and the reads. */
    private interface Subject {
        void put(String key, byte[] value) throws Exception;

        byte[] get(String key) throws Exception;

        long list(int count) throws Exception;

        void close() throws Exception;
    }

    private static Subject open(String subject, Path directory) throws Exception {
        return switch (subject) {
            case "sqlite" -> new Grouped(new SqliteEngine(directory));
            case "rocksdb" -> new Grouped(new RocksEngine(directory));
            case "sluice" -> new Sluice(directory);
            case String other ->
                throw new IllegalArgumentException("no subject \"" + other + "\": " + SUBJECTS);
        };
    }

    private static void row(String name, Path directory, int seconds, PrintStream out)
            throws Exception {
        StringBuilder line = new StringBuilder(String.format("%-8s", name));
        int keys = 0;
        Subject subject = open(name, directory);
        write(subject, 16, 1, "warm"); // the compiler's turn
        for (int clients : new int[] {1, 16, 64}) {
            Writes writes = write(subject, clients, seconds, "k" + clients);
            keys += writes.latencies.length;
            line.append(String.format(
                    Locale.ROOT,
                    " | %,d %.2f/%.2f",
                    writes.latencies.length / seconds,
                    writes.percentile(0.5),
                    writes.percentile(0.99)));
        }
        line.append(String.format(Locale.ROOT, " | %.1f", get(subject)));
        line.append(String.format(Locale.ROOT, " | %.0f", millis(() -> subject.list(LISTED))));
        long rss = residentKilobytes();
        subject.close();
        line.append(String.format(
                Locale.ROOT, " | %.0f (%,d keys)", millis(() -> reopen(name, directory)), keys));
        line.append(String.format(
                Locale.ROOT, " | %.1f", size(directory) / ((double) keys * VALUE_BYTES)));
        out.println(line.append(" | ").append(rss / 1024));
    }

    private static Object reopen(String name, Path directory) throws Exception {
        Subject subject = open(name, directory);
        int bytes = subject.get("k1-0-0").length;
        subject.close();
        return bytes;
    }

    /** Latencies in nanoseconds, sorted. */
    private record Writes(long[] latencies) {
        double percentile(double part) {
            return latencies[(int) (latencies.length * part)] / 1e6;
        }
    }

    private static Writes write(Subject subject, int clients, int seconds, String prefix)
            throws Exception {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        List<Thread> threads = new ArrayList<>();
        List<List<Long>> latencies = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            List<Long> own = new ArrayList<>();
            String keys = prefix + "-" + client + "-";
            Random random = new Random(client);
            latencies.add(own);
            threads.add(Thread.ofVirtual().start(() -> {
                for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
                    byte[] value = new byte[VALUE_BYTES];
                    random.nextBytes(value);
                    try {
                        long start = System.nanoTime();
                        subject.put(keys + own.size(), value);
                        own.add(System.nanoTime() - start);
                    } catch (Exception e) {
                        throw new IllegalStateException("put failed", e);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return new Writes(latencies.stream()
                .flatMap(List::stream)
                .mapToLong(Long::longValue)
                .sorted()
                .toArray());
    }

    private static double get(Subject subject) throws Exception {
        int count = 5_000;
        double millis = millis(() -> {
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                bytes += subject.get("k1-0-" + i * 7 % 3_000).length;
            }
            return bytes;
        });
        return millis * 1000 / count;
    }

    private static double millis(Callable<?> action) throws Exception {
        long start = System.nanoTime();
        action.call();
        return (System.nanoTime() - start) / 1e6;
    }

    private static long residentKilobytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    private static long size(Path directory) throws IOException {
        long bytes = 0;
        try (var files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            Path[] all = files.toArray(Path[]::new);
            for (Path file : Arrays.asList(all).reversed()) {
                Files.delete(file);
            }
        }
    }

    /** An engine behind one committer thread, as our store has it: many puts share one flush. */
    private static final class Grouped implements Subject {
        private static final int MAX_BATCH = 256;
        private final Engine engine;
        private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
        private final Thread committer = Thread.ofPlatform().start(this::commit);

        Grouped(Engine engine) {
            this.engine = engine;
        }

        private record Waiting(Pair pair, CompletableFuture<Boolean> done) {}

        private void commit() {
            List<Waiting> batch = new ArrayList<>();
            try {
                while (true) {
                    batch.add(queue.take());
                    queue.drainTo(batch, MAX_BATCH - 1);
                    engine.write(batch.stream().map(Waiting::pair).toList());
                    batch.forEach(waiting -> waiting.done.complete(true));
                    batch.clear();
                }
            } catch (InterruptedException e) {
                return; // closed
            } catch (Exception e) {
                batch.forEach(waiting -> waiting.done.completeExceptionally(e));
            }
        }

        @Override
        public void put(String key, byte[] value) throws Exception {
            Waiting waiting = new Waiting(new Pair(key, value), new CompletableFuture<>());
            queue.add(waiting);
            waiting.done.get();
        }

        @Override
        public byte[] get(String key) throws Exception {
            return engine.get(key);
        }

        @Override
        public long list(int count) throws Exception {
            return engine.list(count);
        }

        @Override
        public void close() throws Exception {
            committer.interrupt();
            committer.join();
            engine.close();
        }
    }

    /** Our store: history, index, watches and checks included. */
    private record Sluice(Store store) implements Subject {
        Sluice(Path directory) {
            this(EmbeddedStore.open(
                    directory,
                    EmbeddedOptions.defaults(),
                    Thread.ofPlatform().factory(),
                    Thread.ofVirtual().factory()));
        }

        @Override
        public void put(String key, byte[] value) {
            store.commit(
                    List.of(new Store.Condition(key, 0)),
                    List.of(new Store.Operation.Put(key, value)));
        }

        @Override
        public byte[] get(String key) {
            return store.get(key, 0).map(Store.Entry::value).orElse(new byte[0]);
        }

        @Override
        public long list(int count) {
            return store.range(new Store.RangeQuery("", "", count, 0)).entries().stream()
                    .mapToLong(entry -> entry.value().length)
                    .sum();
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
