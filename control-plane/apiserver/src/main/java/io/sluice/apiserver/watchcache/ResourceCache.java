package io.sluice.apiserver.watchcache;

import io.sluice.store.Store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * All objects under one storage prefix, and the recent changes. Changes come in on the store watch's thread, in revision order;
 * every other thread reads. One lock, held for short copies only.
 */
public final class ResourceCache {
    private static final int MIN_HISTORY = 1_000;
    private static final int MAX_HISTORY = 50_000;
    private static final Duration HISTORY_TIME = Duration.ofSeconds(75);
    private static final int WATCHER_QUEUE = 1_000;

    private final String prefix;
    private final ItemReader reader;
    private final InstantSource clock;
    private final NavigableMap<String, Item> items = new TreeMap<>();
    private final ArrayDeque<Aged> history = new ArrayDeque<>();
    private final Set<Watcher> watchers = new LinkedHashSet<>();
    private long historySince;
    private long revision;
    private long watchersCut;
    private long unreadable;

    private record Aged(Change change, Instant at) {}

    public ResourceCache(String prefix, ItemReader reader, InstantSource clock) {
        this.prefix = prefix;
        this.reader = reader;
        this.clock = clock;
    }

    public String prefix() {
        return prefix;
    }

    /** All objects that match at one revision, in key order. */
    public record Listing(List<Item> items, long revision) {}

    /**
     * A watch that has begun.
     *
     * @param initial what was there at the revision, where that was asked for
     * @param replay what changed since the revision the client named
     */
    public record Opening(
            Watcher watcher, List<Item> initial, List<Change.Seen> replay, long revision) {}

    /** How full it is. */
    public record Size(int objects, int history, int watchers, long watchersCut, long unreadable) {}

    /** Replaces everything; all watchers must begin anew. */
    synchronized void load(List<Store.Entry> entries, long at) {
        watchers.forEach(watcher -> watcher.end("the server's cache was loaded anew"));
        watchers.clear();
        items.clear();
        history.clear();
        for (Store.Entry entry : entries) {
            reader.read(entry)
                    .ifPresentOrElse(item -> items.put(item.key(), item), () -> unreadable++);
        }
        historySince = at;
        revision = at;
    }

    /** All of one transaction at once, so that no reader sees an object that is newer than the cache says it is. */
    synchronized void apply(List<Store.Event> events, long at) {
        revision = Math.max(revision, at);
        events.forEach(this::apply);
    }

    private void apply(Store.Event event) {
        Optional<Item> before = Optional.ofNullable(items.get(event.key()));
        Optional<Item> after =
                event.value().flatMap(value -> reader.read(event.key(), value, event.revision()));
        if (event.value().isPresent() && after.isEmpty()) {
            unreadable++;
        }
        after.ifPresentOrElse(
                item -> items.put(event.key(), item), () -> items.remove(event.key()));
        Optional<Item> gone = before.isEmpty()
                ? Optional.empty()
                : event.previous()
                        .flatMap(old -> reader.read(event.key(), old.value(), event.revision()));
        Change change = new Change(event.key(), event.revision(), before, after, gone);
        remember(change);
        watchers.removeIf(watcher -> {
            boolean keep =
                    change.seenBy(watcher.selection()).map(watcher::offer).orElse(true);
            watchersCut += keep ? 0 : 1;
            return !keep;
        });
    }

    private void remember(Change change) {
        Instant now = clock.instant();
        history.add(new Aged(change, now));
        while (history.size() > MAX_HISTORY
                || history.size() > MIN_HISTORY
                        && history.peek().at().plus(HISTORY_TIME).isBefore(now)) {
            historySince = history.poll().change().revision();
        }
    }

    /** Nothing of this prefix changed up to the revision beyond what was applied. */
    synchronized void advance(long to) {
        revision = Math.max(revision, to);
    }

    public synchronized Optional<Item> get(String key) {
        return Optional.ofNullable(items.get(key));
    }

    /** @param below a prefix of keys: this cache's, or a namespace's part of it */
    public Listing list(String below, Selection selection) {
        List<Item> found;
        long at;
        synchronized (this) {
            found = new ArrayList<>(range(below).values());
            at = revision;
        }
        if (!selection.isUnfiltered()) {
            found.removeIf(item -> !selection.matches(item));
        }
        return new Listing(found, at);
    }

    private NavigableMap<String, Item> range(String below) {
        return items.subMap(below, true, below + Character.MAX_VALUE, false);
    }

    public synchronized long count(String below) {
        return range(below).size();
    }

    /** Begins with everything there is. */
    public synchronized Opening openWithState(String below, Selection selection) {
        Listing now = list(below, selection);
        return new Opening(register(selection), now.items(), List.of(), now.revision());
    }

    /** Begins with what changes from now on. */
    public synchronized Opening openAtEnd(Selection selection) {
        return new Opening(register(selection), List.of(), List.of(), revision);
    }

    /**
     * Begins after a revision this cache has reached.
     *
     * @throws HistoryGoneException if changes after it are no longer held
     */
    public synchronized Opening openAfter(Selection selection, long after)
            throws HistoryGoneException {
        if (after < historySince) {
            throw new HistoryGoneException(after, historySince);
        }
        List<Change.Seen> replay = new ArrayList<>();
        for (Aged aged : history) {
            if (aged.change().revision() > after) {
                aged.change().seenBy(selection).ifPresent(replay::add);
            }
        }
        return new Opening(register(selection), List.of(), replay, after);
    }

    private Watcher register(Selection selection) {
        Watcher out = new Watcher(selection, this, WATCHER_QUEUE);
        watchers.add(out);
        return out;
    }

    synchronized void remove(Watcher watcher) {
        watchers.remove(watcher);
    }

    synchronized Optional<Long> positionOf(Watcher watcher) {
        return watcher.isDrained() ? Optional.of(revision) : Optional.empty();
    }

    synchronized void endWatchers(String why) {
        watchers.forEach(watcher -> watcher.end(why));
        watchers.clear();
    }

    public synchronized Size size() {
        return new Size(items.size(), history.size(), watchers.size(), watchersCut, unreadable);
    }
}
