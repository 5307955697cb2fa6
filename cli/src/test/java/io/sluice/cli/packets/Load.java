package io.sluice.cli.packets;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** New connections at a steady rate, whether earlier ones were answered or not. */
final class Load implements AutoCloseable {
    private static final long EVERY_MICROS = 2_500;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("load").daemon().factory());
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Probe> probes;
    private final Set<String> servers;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();

    /** @param began on {@link System#nanoTime}'s clock */
    record Failure(Probe probe, Seen seen, long began) {}

    /** @param servers who may answer */
    Load(Set<String> servers, List<Probe> probes) {
        this.probes = probes;
        this.servers = servers;
        clock.scheduleAtFixedRate(this::begin, 0, EVERY_MICROS, TimeUnit.MICROSECONDS);
    }

    private void begin() {
        Probe probe = probes.get((int) (begun.getAndIncrement() % probes.size()));
        clients.execute(() -> connect(probe));
    }

    private void connect(Probe probe) {
        long began = System.nanoTime();
        Seen seen = probe.ask(PATIENCE);
        if (seen instanceof Seen.Answer answer && servers.contains(answer.server())) {
            answered.incrementAndGet();
        } else {
            failures.add(new Failure(probe, seen, began));
        }
    }

    long answered() {
        return answered.get();
    }

    /** Lets so many more connections be answered; returns at once where one fails. */
    void awaitMore(int connections) {
        long goal = answered.get() + connections;
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> answered.get() >= goal || !failures.isEmpty());
    }

    /** Lets so many in a row be answered. @return when the last that failed began; 0 where none did */
    long awaitCalm(int connections) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    int before = failures.size();
                    long goal = answered.get() + connections;
                    await().atMost(Duration.ofSeconds(30))
                            .pollInterval(Duration.ofMillis(20))
                            .until(() -> answered.get() >= goal || failures.size() > before);
                    return failures.size() == before;
                });
        return failures.stream().mapToLong(Failure::began).max().orElse(0);
    }

    List<Failure> failures() {
        return List.copyOf(failures);
    }

    /** Waits for those under way. */
    @Override
    public void close() {
        clock.shutdownNow();
        clients.close();
    }
}
