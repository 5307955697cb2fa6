package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.ClientConfig;
import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;
import io.sluice.api.client.ListOptions;
import io.sluice.api.client.WatchListener;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.TreeDecoder;
import io.sluice.api.object.KubeObject;
import io.sluice.cli.lab.Objects;
import io.sluice.cli.lab.SluiceProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * {@code kill -9} of {@code up} while four clients create Services: what was acknowledged is there afterwards, no cluster IP and no node
 * port is given twice, and a watch that was open goes on. {@code -Dcrash.rounds=N} for more than three; the seed is printed.
 */
class CrashIT {
    private static final int ROUNDS = Integer.getInteger("crash.rounds", 3);
    private static final long SEED = Long.getLong("crash.seed", 20_261_201L);

    @TempDir
    Path temp;

    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger next = new AtomicInteger();

    @Test
    void nothingAcknowledgedIsLostAndNothingIsGivenTwice() throws Exception {
        Random random = new Random(SEED);
        Path data = temp.resolve("data");
        int port = SluiceProcess.freePort();
        int metricsPort = SluiceProcess.freePort();
        Names watched = new Names();
        KubeClient watcher = null;
        try {
            for (int round = 0; round < ROUNDS; round++) {
                try (SluiceProcess up = SluiceProcess.up(data, port, metricsPort)) {
                    if (watcher == null) {
                        watcher = SluiceProcess.client(data);
                        watcher.watch(
                                Objects.SERVICES, ListOptions.ALL, new TreeDecoder(), watched);
                    }
                    assertEverythingIsThere(data, "seed " + SEED + " round " + round);
                    createUntilKilled(data, up, 20 + random.nextInt(100));
                }
            }
            try (SluiceProcess up = SluiceProcess.up(data, port, metricsPort)) {
                assertThat(up.isAlive()).isTrue();
                assertEverythingIsThere(data, "seed " + SEED + " at the end");
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(watched.names).containsAll(acknowledged));
            }
        } finally {
            if (watcher != null) {
                watcher.close();
            }
        }
    }

    private void createUntilKilled(Path data, SluiceProcess up, int creates) throws Exception {
        int before = acknowledged.size();
        AtomicBoolean dead = new AtomicBoolean();
        ClientConfig config = KubeConfig.load(data.resolve("admin.kubeconfig"), Clock.systemUTC());
        try (KubeClient client = KubeClient.of(config);
                ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 4; i++) {
                writers.submit(() -> create(client, dead));
            }
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> acknowledged.size() >= before + creates);
            up.kill();
            dead.set(true);
        }
    }

    private void create(KubeClient client, AtomicBoolean dead) {
        while (!dead.get()) {
            int number = next.incrementAndGet();
            String name = "s" + number;
            // There are 2,768 node ports, so not every Service gets one.
            String type = number % 4 == 0 ? "NodePort" : "ClusterIP";
            try {
                client.create(Objects.SERVICES, Objects.service(name, type, "TCP", 80));
                acknowledged.add(name);
            } catch (IOException e) {
                return; // not acknowledged: may be there or not
            }
        }
    }

    private void assertEverythingIsThere(Path data, String when) throws IOException {
        try (KubeClient client = SluiceProcess.client(data)) {
            List<ObjectNode> services = client.list(Objects.SERVICES, ListOptions.ALL);
            Set<String> names = services.stream()
                    .map(service -> KubeObject.of(service).name())
                    .collect(Collectors.toSet());
            assertThat(names).as(when).containsAll(acknowledged);
            assertUnique(services, "/spec/clusterIP", when);
            assertUnique(services, "/spec/ports/0/nodePort", when);
        }
    }

    private static void assertUnique(List<ObjectNode> services, String pointer, String when) {
        Set<String> seen = new HashSet<>();
        for (ObjectNode service : services) {
            String value = service.at(pointer).asText();
            if (!value.isEmpty()) {
                assertThat(seen.add(value))
                        .as("%s: %s %s is given twice", when, pointer, value)
                        .isTrue();
            }
        }
    }

    /** Names a watch has told of. */
    private static final class Names implements WatchListener<ObjectNode> {
        private final Set<String> names = ConcurrentHashMap.newKeySet();

        @Override
        public void onUpsert(ObjectNode object) {
            names.add(KubeObject.of(object).name());
        }

        @Override
        public void onDelete(NamespacedName name) {
            names.remove(name.name());
        }

        @Override
        public void onSynced() {}

        @Override
        public void onProblem(String problem) {}
    }
}
