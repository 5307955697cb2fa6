package io.sluice.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.store.Seeds;
import io.sluice.store.StoreException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Whatever byte of its files is spoilt, a store opens with what was acknowledged or refuses; it never opens with anything else. */
final class CorruptionTest {
    private static final int FLIPS = 120;

    @TempDir
    private Path directory;

    /** Files with all transactions, and what they must hold. */
    private record Sample(Map<String, byte[]> files, TreeMap<String, String> state) {}

    private Sample sample(Random random, String name, boolean closed) {
        Path made = directory.resolve(name);
        EmbeddedStore store = StoreFiles.open(made);
        TreeMap<String, String> state =
                StoreFiles.fill(store, random, 60).lastEntry().getValue();
        Map<String, byte[]> open = StoreFiles.read(made);
        store.close();
        return new Sample(closed ? StoreFiles.read(made) : open, state);
    }

    @Test
    void flippedBitInTheMainFileIsFoundOrHarmless() {
        Seeds.run(2, seeded -> {
            Sample sample = sample(seeded.random(), "db" + seeded.seed(), true);
            int refused = 0;
            for (int i = 0; i < FLIPS; i++) {
                refused +=
                        refusedOrSame(flip(sample, StoreFiles.DB, seeded.random()), sample) ? 1 : 0;
            }
            assertThat(refused).isGreaterThan(FLIPS / 4);
        });
    }

    @Test
    void flippedBitInTheWriteAheadLogIsFoundOrHarmless() {
        Seeds.run(2, seeded -> {
            Sample sample = sample(seeded.random(), "wal" + seeded.seed(), false);
            assertThat(sample.files.get(StoreFiles.WAL)).hasSizeGreaterThan(100_000);
            for (int i = 0; i < FLIPS; i++) {
                assertThat(refusedOrSame(flip(sample, StoreFiles.WAL, seeded.random()), sample))
                        .as("every page of it is acknowledged data")
                        .isTrue();
            }
        });
    }

    @Test
    void missingEndOfTheWriteAheadLogIsFound() {
        Seeds.run(1, seeded -> {
            Sample sample = sample(seeded.random(), "end" + seeded.seed(), false);
            byte[] wal = sample.files.get(StoreFiles.WAL);
            for (int i = 0; i < FLIPS; i++) {
                Map<String, byte[]> files = new HashMap<>(sample.files);
                files.put(StoreFiles.WAL, Arrays.copyOf(wal, seeded.random().nextInt(wal.length)));
                assertThat(refusedOrSame(files, sample)).isTrue();
            }
        });
    }

    @Test
    void shortenedMainFileIsFound() {
        Seeds.run(1, seeded -> {
            Sample sample = sample(seeded.random(), "short" + seeded.seed(), true);
            byte[] db = sample.files.get(StoreFiles.DB);
            for (int i = 0; i < FLIPS / 4; i++) {
                Map<String, byte[]> files = new HashMap<>(sample.files);
                files.put(StoreFiles.DB, Arrays.copyOf(db, seeded.random().nextInt(db.length)));
                assertThat(refusedOrSame(files, sample)).isTrue();
            }
        });
    }

    @Test
    void refusalSaysWhereAndWhatToDo() {
        Sample sample = sample(new Random(7), "words", false);
        Map<String, byte[]> files = new HashMap<>(sample.files);
        files.get(StoreFiles.WAL)[20_000] ^= 1;
        Path damaged = directory.resolve("damaged");
        StoreFiles.write(damaged, files);
        assertThatThrownBy(() -> StoreFiles.open(damaged))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("store.db-wal")
                .hasMessageContaining("byte ")
                .hasMessageContaining("acknowledged data is damaged")
                .hasMessageContaining("restore the directory from a backup");
        assertThat(StoreFiles.read(damaged).get(StoreFiles.WAL))
                .isEqualTo(files.get(StoreFiles.WAL));
    }

    @Test
    void foreignDatabaseIsRefused() {
        Path other = directory.resolve("other");
        StoreFiles.write(
                other,
                Map.of(
                        StoreFiles.DB,
                        "not a database, but some text".repeat(999).getBytes()));
        assertThatThrownBy(() -> StoreFiles.open(other))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("store");
    }

    @Test
    void secondStoreInTheSameDirectoryIsRefused() throws IOException {
        EmbeddedStore store = StoreFiles.open(directory);
        assertThat(locked()).isTrue();
        assertThatThrownBy(() -> StoreFiles.open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(
                        "in use by process " + ProcessHandle.current().pid());
        assertThat(locked()).as("the refused opening must not let go of it").isTrue();
        store.close();
        assertThat(locked()).isFalse();
        StoreFiles.open(directory).close();
    }

    /** What the kernel says of the lock file, by its inode. */
    private boolean locked() throws IOException {
        String inode = ":" + Files.getAttribute(directory.resolve("lock"), "unix:ino") + " ";
        return Files.readString(Path.of("/proc/locks")).contains(inode);
    }

    private static Map<String, byte[]> flip(Sample sample, String name, Random random) {
        Map<String, byte[]> files = new HashMap<>(sample.files);
        byte[] bytes = files.get(name).clone();
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        files.put(name, bytes);
        return files;
    }

    private boolean refusedOrSame(Map<String, byte[]> files, Sample sample) {
        Path spoilt = directory.resolve("spoilt");
        StoreFiles.write(spoilt, files);
        try (EmbeddedStore store = StoreFiles.open(spoilt)) {
            assertThat(StoreFiles.state(store)).isEqualTo(sample.state);
            return false;
        } catch (StoreException e) {
            assertThat(e.getMessage()).contains("cannot open the store").contains("restore");
            return true;
        }
    }
}
