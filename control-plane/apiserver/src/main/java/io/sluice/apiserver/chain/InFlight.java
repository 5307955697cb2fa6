package io.sluice.apiserver.chain;

import io.sluice.apiserver.registry.Statuses;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** How many requests are answered at a time; others wait a moment, then are refused. Thread-safe. */
public final class InFlight {
    private final int readers;
    private final int writers;
    private final Duration patience;
    private final Semaphore reading;
    private final Semaphore writing;

    public InFlight(int readers, int writers, Duration patience) {
        this.readers = readers;
        this.writers = writers;
        this.patience = patience;
        this.reading = new Semaphore(readers, true);
        this.writing = new Semaphore(writers, true);
    }

    /** A place that must be given back. */
    public interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /** @throws io.sluice.apiserver.registry.ApiException 429 if no place comes free */
    public Place enter(boolean mutating) throws InterruptedException {
        Semaphore places = mutating ? writing : reading;
        if (!places.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw Statuses.tooManyRequests(1);
        }
        return places::release;
    }

    public int reading() {
        return readers - reading.availablePermits();
    }

    public int writing() {
        return writers - writing.availablePermits();
    }
}
