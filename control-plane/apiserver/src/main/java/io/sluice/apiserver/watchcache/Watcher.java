package io.sluice.apiserver.watchcache;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One client's place in a cache's stream of changes. The cache's thread puts, the client's thread takes. A client that falls behind by
 * more than the queue holds is ended, and must watch again.
 */
public final class Watcher implements AutoCloseable {
    /** What the cache has for a client. */
    public sealed interface Signal {
        /** A change. */
        record Event(Change.Seen seen) implements Signal {}

        /** No more will come. */
        record End(String why) implements Signal {}

        /** Look at what else is to do. */
        record Wake() implements Signal {}
    }

    private static final Signal.Wake WAKE = new Signal.Wake();

    private final Selection selection;
    private final ResourceCache cache;
    private final LinkedBlockingQueue<Signal> queue;
    private volatile Optional<Signal.End> end = Optional.empty();

    Watcher(Selection selection, ResourceCache cache, int capacity) {
        this.selection = selection;
        this.cache = cache;
        this.queue = new LinkedBlockingQueue<>(capacity);
    }

    Selection selection() {
        return selection;
    }

    /** Called by the cache under its lock. @return false if the client is too slow */
    boolean offer(Change.Seen seen) {
        if (queue.offer(new Signal.Event(seen))) {
            return true;
        }
        end("the watcher fell behind by more than it may");
        return false;
    }

    /** From any thread; what is queued is still delivered, unless the queue was full. */
    public void end(String why) {
        end = Optional.of(new Signal.End(why));
        wake();
    }

    /** Makes a waiting {@link #take} return. */
    public void wake() {
        queue.offer(WAKE);
    }

    /** The next signal; a wake-up where none comes in time. */
    public Signal take(Duration longest) throws InterruptedException {
        Signal next = queue.poll();
        if (next == null) {
            if (end.isPresent()) {
                return end.get();
            }
            next = queue.poll(Math.max(0, longest.toNanos()), TimeUnit.NANOSECONDS);
        }
        if (next instanceof Signal.Event) {
            return next;
        }
        return queue.isEmpty() && end.isPresent() ? end.get() : WAKE;
    }

    /** A revision up to which this client has taken everything; empty while something is queued. */
    public Optional<Long> position() {
        return cache.positionOf(this);
    }

    boolean isDrained() {
        return queue.stream().noneMatch(Signal.Event.class::isInstance);
    }

    @Override
    public void close() {
        cache.remove(this);
    }
}
