package io.sluice.apiserver.watchcache;

import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;
import io.sluice.store.CompactedException;
import io.sluice.store.Store;
import io.sluice.store.StoreException;
import io.sluice.store.StoreWatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;

/**
 * All caches, fed by one watch over everything, so that one revision holds for all of them. {@link #awaitRevision} makes a read as
 * fresh as the store.
 */
public final class Caches implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Caches.class);
    private static final String ROOT = "/registry/";

    /** Changes before the start that watchers may still ask for. */
    private static final long REPLAYED = 5_000;

    private static final Duration RETRY = Duration.ofMillis(200);

    private final Store store;
    private final ThreadFactory threads;
    private final TreeMap<String, ResourceCache> byPrefix = new TreeMap<>();
    private long revision;
    private long restarts;
    private boolean closed;
    private Optional<StoreWatch> watch = Optional.empty();

    private Caches(Store store, Registry registry, InstantSource clock, ThreadFactory threads) {
        this.store = store;
        this.threads = threads;
        Map<String, List<Kind>> kinds = new LinkedHashMap<>();
        registry.kinds()
                .forEach(kind -> kinds.computeIfAbsent(kind.storage(), _ -> new ArrayList<>())
                        .add(kind));
        kinds.forEach((prefix, sharing) ->
                byPrefix.put(prefix, new ResourceCache(prefix, new ItemReader(sharing), clock)));
    }

    /** Loads everything, and returns once the caches are as new as the store was. */
    public static Caches start(
            Store store, Registry registry, InstantSource clock, ThreadFactory threads) {
        Caches out = new Caches(store, registry, clock, threads);
        long newest = store.revision();
        out.loadAndFollow();
        if (!out.awaitRevision(newest, Duration.ofSeconds(60))) {
            out.close();
            throw new StoreException("the store's watch did not reach revision " + newest
                    + " within 60 s; the caches stand at " + out.revision());
        }
        return out;
    }

    private void loadAndFollow() {
        long base = Math.max(1, Math.max(store.compactedRevision(), store.revision() - REPLAYED));
        for (ResourceCache cache : byPrefix.values()) {
            cache.load(
                    store.range(new Store.RangeQuery(cache.prefix(), "", 0, base))
                            .entries(),
                    base);
        }
        reached(base);
        follow(base);
    }

    private void follow(long after) {
        StoreWatch started = store.watch(ROOT, after, new Feed());
        synchronized (this) {
            if (closed) {
                started.close();
            } else {
                watch = Optional.of(started);
            }
        }
    }

    /** Takes the store's changes. */
    private final class Feed implements StoreWatch.Sink {
        @Override
        public void onEvents(long at, List<Store.Event> events) {
            Map<ResourceCache, List<Store.Event>> byCache = new LinkedHashMap<>();
            for (Store.Event event : events) {
                cacheOf(event.key())
                        .ifPresent(cache -> byCache.computeIfAbsent(cache, _ -> new ArrayList<>())
                                .add(event));
            }
            byCache.forEach((cache, changes) -> cache.apply(changes, at));
            reached(at);
        }

        @Override
        public void onEnd(String why) {
            if (!isClosed()) {
                LOG.warn(
                        "the store ended the caches' watch ({}); watching again after {}",
                        why,
                        revision());
                threads.newThread(Caches.this::restart).start();
            }
        }
    }

    private void restart() {
        while (!isClosed()) {
            try {
                synchronized (this) {
                    restarts++;
                }
                follow(revision());
                return;
            } catch (CompactedException e) {
                LOG.warn("changes after {} are compacted; loading everything anew", revision());
                if (reload()) {
                    return;
                }
            } catch (StoreException e) {
                LOG.warn("the store refuses a watch: {}; trying again", e.getMessage());
            }
            pause();
        }
    }

    private boolean reload() {
        try {
            loadAndFollow();
            return true;
        } catch (StoreException e) {
            LOG.warn("the store refuses to be read: {}; trying again", e.getMessage());
            return false;
        }
    }

    private synchronized void pause() {
        try {
            if (!closed) {
                wait(RETRY.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<ResourceCache> cacheOf(String key) {
        Map.Entry<String, ResourceCache> floor = byPrefix.floorEntry(key);
        while (floor != null && !key.startsWith(floor.getKey())) {
            floor = byPrefix.lowerEntry(floor.getKey());
        }
        return Optional.ofNullable(floor).map(Map.Entry::getValue);
    }

    private void reached(long at) {
        byPrefix.values().forEach(cache -> cache.advance(at));
        synchronized (this) {
            revision = Math.max(revision, at);
            notifyAll();
        }
    }

    /** Waits until everything up to the revision is in the caches; false if it is not in time. */
    public synchronized boolean awaitRevision(long wanted, Duration longest) {
        long deadline = System.nanoTime() + longest.toNanos();
        while (revision < wanted && !closed) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return revision >= wanted;
    }

    public synchronized long revision() {
        return revision;
    }

    /** How often the store's watch had to begin again. */
    public synchronized long restarts() {
        return restarts;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    public ResourceCache of(Kind kind) {
        return byPrefix.get(kind.storage());
    }

    public List<ResourceCache> all() {
        return List.copyOf(byPrefix.values());
    }

    /** Ends all watches of clients; they may begin again elsewhere. */
    public void endWatchers(String why) {
        byPrefix.values().forEach(cache -> cache.endWatchers(why));
    }

    @Override
    public void close() {
        Optional<StoreWatch> last;
        synchronized (this) {
            closed = true;
            last = watch;
            notifyAll();
        }
        last.ifPresent(StoreWatch::close);
        endWatchers("the server stops");
    }
}
