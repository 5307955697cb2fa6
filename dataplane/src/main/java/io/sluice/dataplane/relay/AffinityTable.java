package io.sluice.dataplane.relay;

import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Backend;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Which endpoint each client of one Service port stays with ({@code sessionAffinity: ClientIP}). Thread-safe. The timer starts anew with
 * each connection; at most {@value #MOST} clients are remembered, beyond that expired ones make room, and if there are none, new
 * clients are not remembered.
 */
final class AffinityTable {
    private static final int MOST = 65_536;

    private final ConcurrentHashMap<IpAddress, Entry> entries = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private volatile long sweptAt;

    /** Compared by address and port: whether an endpoint is local is no matter here. */
    private record Entry(IpAddress address, int port, long usedAt) {}

    AffinityTable(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.sweptAt = nanoTime.getAsLong();
    }

    /** The client's endpoint, if it is still a candidate and the time has not run out. */
    Optional<Backend> find(IpAddress client, List<Backend> candidates, int seconds) {
        Entry entry = entries.get(client);
        return entry == null ? Optional.empty() : find(entry, candidates, seconds);
    }

    private Optional<Backend> find(Entry entry, List<Backend> candidates, int seconds) {
        if (expired(entry, seconds)) {
            return Optional.empty();
        }
        for (Backend candidate : candidates) {
            if (candidate.port() == entry.port() && candidate.address().equals(entry.address())) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /**
     * As {@link #find}; where there is none, the client has this one from now on, before it answered: two first connections at the
     * same moment must not go two ways.
     */
    Backend claim(IpAddress client, Backend first, List<Backend> candidates, int seconds) {
        Optional<Backend> own = find(client, candidates, seconds);
        if (own.isPresent() || isFull(client, seconds)) {
            return own.orElse(first);
        }
        Entry wanted = new Entry(first.address(), first.port(), nanoTime.getAsLong());
        entries.compute(
                client,
                (key, now) ->
                        now != null && find(now, candidates, seconds).isPresent() ? now : wanted);
        return find(client, candidates, seconds).orElse(first);
    }

    void remember(IpAddress client, Backend backend, int seconds) {
        if (!isFull(client, seconds)) {
            entries.put(client, new Entry(backend.address(), backend.port(), nanoTime.getAsLong()));
        }
    }

    /** Whether there is no room for one more client. */
    private boolean isFull(IpAddress client, int seconds) {
        if (entries.size() < MOST || entries.containsKey(client)) {
            return false;
        }
        sweep(seconds);
        return entries.size() >= MOST;
    }

    /** At most once a second, so that a full table costs no scan per connection. */
    private void sweep(int seconds) {
        long now = nanoTime.getAsLong();
        if (now - sweptAt < 1_000_000_000L) {
            return;
        }
        sweptAt = now;
        entries.values().removeIf(entry -> expired(entry, seconds));
    }

    private boolean expired(Entry entry, int seconds) {
        return nanoTime.getAsLong() - entry.usedAt() >= seconds * 1_000_000_000L;
    }

    int size() {
        return entries.size();
    }
}
