package io.sluice.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.Seeds;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The files as a crash at any point of writing leaves them: the write-ahead log up to any byte, then nothing, zeros, noise, or some of
 * the pages still on their way when the power went. What was acknowledged by then is there, whole transactions only, and the store goes on.
 */
final class CrashPointTest {
    private static final int TRANSACTIONS = 50;
    private static final int POINTS_PER_TRANSACTION = 10;
    private static final int FRAME = 24 + 4096;

    @TempDir
    private Path directory;

    /** The files right after a transaction was acknowledged. */
    private record Moment(long revision, byte[] wal, byte[] mark) {}

    @Test
    void everyCrashPointKeepsWhatWasAcknowledged() {
        Seeds.run(6, this::run);
    }

    private void run(Seeds.Seeded seeded) {
        Path made = directory.resolve("made" + seeded.seed());
        Random random = seeded.random();
        TreeMap<Long, TreeMap<String, String>> states = new TreeMap<>();
        List<Moment> moments = new ArrayList<>();
        Map<String, byte[]> files;
        try (EmbeddedStore store = StoreFiles.open(made)) {
            states.putAll(StoreFiles.fill(store, random, 5));
            for (int i = 0; i < TRANSACTIONS; i++) {
                states.putAll(StoreFiles.fill(store, random, 1));
                files = StoreFiles.read(made);
                moments.add(new Moment(
                        store.revision(),
                        files.get(StoreFiles.WAL),
                        files.get(AcknowledgedMark.NAME)));
            }
            files = StoreFiles.read(made);
        }
        for (int i = 0; i + 1 < moments.size(); i++) {
            for (int point = 0; point < POINTS_PER_TRANSACTION; point++) {
                byte[] wal = crash(moments.get(i), moments.get(i + 1), random);
                Map<String, byte[]> left = new HashMap<>(files);
                left.put(StoreFiles.WAL, wal);
                left.put(AcknowledgedMark.NAME, moments.get(i).mark);
                check(left, moments.get(i).revision, moments.get(i + 1).revision, states);
            }
        }
    }

    /** The log somewhere between two acknowledged transactions. */
    private static byte[] crash(Moment before, Moment after, Random random) {
        int from = before.wal.length;
        int length = after.wal.length - from;
        int whole = from + (length == 0 ? 0 : random.nextInt(length + 1));
        byte[] cut = Arrays.copyOf(after.wal, whole);
        switch (random.nextInt(4)) {
            case 0 -> {
                return cut;
            }
            case 1 -> {
                return Arrays.copyOf(
                        cut, after.wal.length); // the length reached the disk, the data did not
            }
            case 2 -> {
                byte[] noise = new byte[after.wal.length - whole];
                random.nextBytes(noise);
                byte[] all = Arrays.copyOf(cut, after.wal.length);
                System.arraycopy(noise, 0, all, whole, noise.length);
                return all;
            }
            default -> {
                return withoutSomePages(after.wal.clone(), from, random);
            }
        }
    }

    private static byte[] withoutSomePages(byte[] wal, int from, Random random) {
        assertThat(ByteBuffer.wrap(wal).getInt(8)).as("page size").isEqualTo(FRAME - 24);
        for (int at = from; at < wal.length; at += FRAME) {
            if (random.nextInt(3) == 0) {
                Arrays.fill(wal, at, Math.min(wal.length, at + FRAME), (byte) 0);
            }
        }
        return wal;
    }

    private void check(
            Map<String, byte[]> files,
            long atLeast,
            long atMost,
            TreeMap<Long, TreeMap<String, String>> states) {
        Path crashed = directory.resolve("crashed");
        StoreFiles.write(crashed, files);
        try (EmbeddedStore store = StoreFiles.open(crashed)) {
            assertThat(store.revision()).isBetween(atLeast, atMost);
            assertThat(StoreFiles.state(store)).isEqualTo(states.get(store.revision()));
            store.commit(List.of(), StoreFiles.randomOperations(new Random(1)));
        }
    }
}
