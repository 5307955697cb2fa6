package io.sluice.dataplane.relay;

import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Backend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * What all frontends of one Service port share: counters, affinity, and which endpoints failed lately. Thread-safe; lives as long as
 * the Service port.
 */
final class ServiceRuntime {
    /** An endpoint that refused is asked last for so long. */
    private static final long SUSPECT_NANOS = 5_000_000_000L;

    private final ServiceCounters counters = new ServiceCounters();
    private final AffinityTable affinity;
    private final Map<Backend, Long> suspects = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    ServiceRuntime(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.affinity = new AffinityTable(nanoTime);
    }

    ServiceCounters counters() {
        return counters;
    }

    /** Everybody who may take the connection, in the order to ask them: the client's own unless it is a suspect, others from a random one on, suspects. */
    List<Backend> order(List<Backend> candidates, IpAddress client, int affinitySeconds) {
        int count = candidates.size();
        if (count == 1) {
            return candidates;
        }
        int first = ThreadLocalRandom.current().nextInt(count);
        if (affinitySeconds == 0 && suspects.isEmpty()) {
            return new Rotated(candidates, first);
        }
        List<Backend> good = new ArrayList<>(count);
        List<Backend> bad = new ArrayList<>(0);
        for (Backend candidate : new Rotated(candidates, first)) {
            (isSuspect(candidate) ? bad : good).add(candidate);
        }
        if (affinitySeconds > 0 && !good.isEmpty()) {
            Backend own = affinity.claim(client, good.getFirst(), candidates, affinitySeconds);
            if (good.remove(own)) {
                good.addFirst(own);
            }
        }
        good.addAll(bad);
        return good;
    }

    /** It is no suspect any more. */
    void answered(Backend backend) {
        if (!suspects.isEmpty()) {
            suspects.remove(backend);
        }
    }

    /** The client stays with this endpoint. */
    void remember(IpAddress client, Backend backend, int affinitySeconds) {
        if (affinitySeconds > 0) {
            affinity.remember(client, backend, affinitySeconds);
        }
    }

    void failed(Backend backend) {
        suspects.put(backend, nanoTime.getAsLong());
    }

    /** Forgets what is no candidate any more. */
    void keepOnly(List<Backend> candidates) {
        if (!suspects.isEmpty()) {
            suspects.keySet().retainAll(candidates);
        }
    }

    private boolean isSuspect(Backend backend) {
        Long since = suspects.get(backend);
        return since != null && nanoTime.getAsLong() - since < SUSPECT_NANOS;
    }

    /** A list read from a place in its middle, round its end. */
    private static final class Rotated extends java.util.AbstractList<Backend> {
        private final List<Backend> all;
        private final int first;

        Rotated(List<Backend> all, int first) {
            this.all = all;
            this.first = first;
        }

        @Override
        public Backend get(int index) {
            int at = first + index;
            return all.get(at < all.size() ? at : at - all.size());
        }

        @Override
        public int size() {
            return all.size();
        }
    }
}
