package io.sluice.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.Seeds;
import io.sluice.store.Store;
import io.sluice.store.Store.RangeQuery;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.TreeMap;

/** Real processes, really killed with SIGKILL while they write, checkpoint and compact; then compared with the model. */
final class KillTest {
    private static final int KILLS = 20;

    @TempDir
    private Path directory;

    @Test
    void everyAcknowledgedWriteSurvivesKill() {
        Seeds.run(1, seeded -> {
            Path own = directory.resolve("s" + seeded.seed());
            for (int kill = 0; kill < KILLS; kill++) {
                try {
                    check(own, seeded.seed(), writeUntilKilled(own, seeded));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    /** The last acknowledged transaction of each writer. */
    private static int[] writeUntilKilled(Path own, Seeds.Seeded seeded) throws IOException {
        Random random = seeded.random();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        KilledWriter.class.getName(),
                        own.toString(),
                        Long.toString(seeded.seed()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int[] acknowledged = new int[KilledWriter.WRITERS];
        int killAfter = 1 + random.nextInt(2_000);
        int count = 0;
        try (DataInputStream in = new DataInputStream(process.getInputStream())) {
            while (true) {
                int writer = in.readByte();
                acknowledged[writer] = in.readInt();
                if (++count == killAfter) {
                    process.toHandle()
                            .destroyForcibly(); // unlike the process's own, leaves the pipe
                    // readable
                }
            }
        } catch (EOFException e) {
            assertThat(count)
                    .as("the process ended before it was killed")
                    .isGreaterThanOrEqualTo(killAfter);
        } finally {
            process.destroyForcibly();
            process.onExit().join();
        }
        return acknowledged;
    }

    private static void check(Path own, long seed, int[] acknowledged) {
        try (EmbeddedStore store = KilledWriter.open(own)) {
            for (int writer = 0; writer < KilledWriter.WRITERS; writer++) {
                int last = KilledWriter.last(store, writer);
                if (acknowledged[writer] > 0) {
                    assertThat(last)
                            .as("writer " + writer)
                            .isBetween(acknowledged[writer], acknowledged[writer] + 1);
                }
                assertThat(state(store, writer)).isEqualTo(KilledWriter.model(seed, writer, last));
            }
        }
    }

    private static TreeMap<String, String> state(Store store, int writer) {
        TreeMap<String, String> state = new TreeMap<>();
        for (Store.Entry entry :
                store.range(new RangeQuery(writer + "/", "", 0, 0)).entries()) {
            state.put(entry.key(), new String(entry.value(), UTF_8));
        }
        return state;
    }
}
