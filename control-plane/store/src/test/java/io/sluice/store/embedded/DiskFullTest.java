package io.sluice.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.store.RecordingSink;
import io.sluice.store.Store.CommitResult.Committed;
import io.sluice.store.Store.Operation;
import io.sluice.store.Store.RangeQuery;
import io.sluice.store.StoreFactory;
import io.sluice.store.StoreFullException;
import io.sluice.store.StoreStatus.Mode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A real file system that is really full: a small tmpfs, which root may mount. */
final class DiskFullTest {
    private static final EmbeddedOptions OPTIONS = EmbeddedOptions.defaults()
            .withReserveBytes(1 << 20)
            .withCacheBytes(0)
            .withCheckpointBytes(1 << 20);

    @TempDir
    private Path directory;

    private Path disk;
    private boolean mounted;

    @BeforeEach
    void mount() throws IOException, InterruptedException {
        disk = Files.createDirectory(directory.resolve("disk"));
        mounted = run("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk.toString()) == 0;
        boolean mustRun = "true".equals(System.getenv("CI"));
        assertThat(mounted || !mustRun).as("mounting a tmpfs needs root").isTrue();
        assumeTrue(mounted, "mounting a tmpfs needs root");
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (mounted) {
            assertThat(run("umount", disk.toString())).isZero();
        }
    }

    @Test
    void putsAreRefusedReadsWatchesDeletesGoOnAndRoomHealsIt() throws Exception {
        try (EmbeddedStore store = StoreFactory.embedded(disk.resolve("store"), OPTIONS)) {
            RecordingSink sink = new RecordingSink();
            store.watch("", 1, sink);
            int held = fill(store);
            assertThat(store.status().mode()).isEqualTo(Mode.FULL);
            assertThat(store.status().refusedFull()).isPositive();
            assertThat(store.range(new RangeQuery("", "", 0, 0)).entries()).hasSize(held);
            assertThat(store.get("k0", 0).orElseThrow().value()).hasSize(50_000);

            assertThat(delete(store, "k0")).isInstanceOf(Committed.class);
            await().until(() -> sink.lines().size() == held + 1);
            assertThat(sink.lines().getLast()).contains("k0=deleted");
            assertThatThrownBy(() -> put(store, "more"))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("the disk is full");

            assertThat(run("mount", "-o", "remount,size=40m", disk.toString())).isZero();
            put(store, "more");
            assertThat(store.status().mode()).isEqualTo(Mode.WRITABLE);
            await().until(() -> sink.lines().size() == held + 2);
        }
    }

    @Test
    void deletingAndCompactingMakesRoom() {
        try (EmbeddedStore store = StoreFactory.embedded(disk.resolve("store"), OPTIONS)) {
            int held = fill(store);
            long full = store.status().sizeOnDisk();
            for (int i = 0; i < held; i++) {
                delete(store, "k" + i);
            }
            assertThat(store.status().mode()).isEqualTo(Mode.FULL);
            store.compact(store.revision());
            await().until(() -> !store.status().compacting());
            await().until(() -> store.status().sizeOnDisk() < full / 2);
            await().ignoreExceptionsInstanceOf(StoreFullException.class)
                    .until(() -> put(store, "again"));
            assertThat(store.status().mode()).isEqualTo(Mode.WRITABLE);
        }
    }

    @Test
    void fullDiskOpensAgainWithEverything() throws Exception {
        Path own = disk.resolve("store");
        Path filler = disk.resolve("filler");
        int held;
        try (EmbeddedStore store = StoreFactory.embedded(own, OPTIONS)) {
            for (held = 0; held < 20; held++) {
                put(store, "k" + held);
            }
            fillUp(filler);
            assertThatThrownBy(() -> fill(store, 1000)).isInstanceOf(StoreFullException.class);
        }
        fillUp(disk.resolve("filler2"));
        try (EmbeddedStore store = StoreFactory.embedded(own, OPTIONS)) {
            assertThat(store.range(new RangeQuery("", "", 0, 0)).entries())
                    .hasSizeGreaterThanOrEqualTo(held);
            assertThat(store.status().mode()).isEqualTo(Mode.FULL);
            Files.delete(filler);
            put(store, "again");
        }
    }

    private static int fill(EmbeddedStore store) {
        int[] held = {0};
        assertThatThrownBy(() -> {
                    while (put(store, "k" + held[0])) {
                        held[0]++;
                    }
                })
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("reads, watches and deletes go on");
        return held[0];
    }

    private static void fill(EmbeddedStore store, int keys) {
        for (int i = 0; i < keys; i++) {
            put(store, "x" + i);
        }
    }

    private static void fillUp(Path file) throws IOException {
        byte[] block = new byte[4096];
        try (var out = Files.newOutputStream(file)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    private static boolean put(EmbeddedStore store, String key) {
        return store.commit(List.of(), List.of(new Operation.Put(key, new byte[50_000])))
                instanceof Committed;
    }

    private static Object delete(EmbeddedStore store, String key) {
        return store.commit(List.of(), List.of(new Operation.Delete(key)));
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
