package io.sluice.apiserver.rest;

import io.sluice.api.object.Json;
import io.sluice.apiserver.http.HttpExchange;
import io.sluice.apiserver.http.ResponseStream;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.watchcache.Caches;
import io.sluice.apiserver.watchcache.Change;
import io.sluice.apiserver.watchcache.HistoryGoneException;
import io.sluice.apiserver.watchcache.Item;
import io.sluice.apiserver.watchcache.ResourceCache;
import io.sluice.apiserver.watchcache.Watcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/** One client's watch, from its request to its end, on the client's own thread. */
public final class WatchSession {
    private static final Duration MIN_TIMEOUT = Duration.ofMinutes(30);
    private static final Duration BOOKMARK_EVERY = Duration.ofSeconds(60);
    private static final Duration LAST_BOOKMARK = Duration.ofSeconds(2);
    private static final byte[] END = "}\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BOOKMARK = start("BOOKMARK");
    private static final byte[] ERROR = start("ERROR");

    private final Reader reader;
    private final Caches caches;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final ReadOptions options;
    private final Output output;
    private boolean first = true;

    public WatchSession(
            Reader reader,
            Caches caches,
            InstantSource clock,
            RandomGenerator random,
            ReadOptions options,
            Output output) {
        this.reader = reader;
        this.caches = caches;
        this.clock = clock;
        this.random = random;
        this.options = options;
        this.output = output;
    }

    private static byte[] start(String type) {
        return ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Streams until the client goes, its time is over, it is too slow, or the server stops.
     *
     * @throws io.sluice.apiserver.registry.ApiException before the answer has begun
     */
    public void run(HttpExchange exchange) throws IOException, InterruptedException {
        Optional<ResourceCache.Opening> opening;
        String gone = "";
        try {
            opening = Optional.of(open());
        } catch (HistoryGoneException e) {
            opening = Optional.empty();
            gone = e.getMessage();
        }
        try (ResponseStream out = exchange.follow(200, output.format().contentType())) {
            if (opening.isEmpty()) {
                write(out, ERROR, Json.bytes(Statuses.expired(gone).status()));
                return;
            }
            try (Watcher watcher = opening.get().watcher()) {
                exchange.onGone(() -> watcher.end("the client is gone"));
                begin(out, opening.get());
                follow(out, watcher);
            }
        }
    }

    private ResourceCache.Opening open() throws HistoryGoneException {
        Kind kind = output.kind();
        ResourceCache cache = caches.of(kind);
        OptionalLong version = options.version();
        boolean named = version.isPresent() && version.getAsLong() > 0;
        reader.freshen(version);
        if (options.initialEvents().isPresent()) {
            return options.initialEvents().get()
                    ? cache.openWithState(
                            Reader.below(kind, options.selection()), options.selection())
                    : named
                            ? cache.openAfter(options.selection(), version.getAsLong())
                            : cache.openAtEnd(options.selection());
        }
        return named
                ? cache.openAfter(options.selection(), version.getAsLong())
                : cache.openWithState(Reader.below(kind, options.selection()), options.selection());
    }

    private void begin(ResponseStream out, ResourceCache.Opening opening) throws IOException {
        for (Item item : opening.initial()) {
            event(out, new Change.Seen(Change.Type.ADDED, item));
        }
        for (Change.Seen seen : opening.replay()) {
            event(out, seen);
        }
        if (options.initialEvents().orElse(false) && options.bookmarks()) {
            write(out, BOOKMARK, output.bookmark(opening.revision(), true));
        }
        out.flush();
    }

    private void follow(ResponseStream out, Watcher watcher)
            throws IOException, InterruptedException {
        Instant end = clock.instant().plus(timeout());
        Instant nextBookmark = nextBookmark(end);
        while (true) {
            Instant now = clock.instant();
            if (!now.isBefore(end)) {
                return;
            }
            if (options.bookmarks() && !now.isBefore(nextBookmark)) {
                bookmark(out, watcher);
                nextBookmark = nextBookmark(end);
            }
            Instant wakeUp = options.bookmarks() && nextBookmark.isBefore(end) ? nextBookmark : end;
            switch (watcher.take(Duration.between(now, wakeUp))) {
                case Watcher.Signal.Event event -> {
                    event(out, event.seen());
                    drain(out, watcher);
                }
                case Watcher.Signal.End _ -> {
                    return;
                }
                case Watcher.Signal.Wake _ -> {}
            }
        }
    }

    /** Writes what else is there before it flushes once. */
    private void drain(ResponseStream out, Watcher watcher)
            throws IOException, InterruptedException {
        while (watcher.take(Duration.ZERO) instanceof Watcher.Signal.Event event) {
            event(out, event.seen());
        }
        out.flush();
    }

    private Duration timeout() {
        if (options.timeoutSeconds() > 0) {
            return Duration.ofSeconds(Math.min(options.timeoutSeconds(), 365L * 24 * 3600));
        }
        return MIN_TIMEOUT.plusMillis(random.nextLong(MIN_TIMEOUT.toMillis()));
    }

    /** About every minute, and once just before the end. */
    private Instant nextBookmark(Instant end) {
        Instant now = clock.instant();
        Instant regular = now.plus(BOOKMARK_EVERY).plusMillis(random.nextLong(10_000));
        Instant last = end.minus(LAST_BOOKMARK);
        return last.isAfter(now) && last.isBefore(regular) ? last : regular;
    }

    private void bookmark(ResponseStream out, Watcher watcher) throws IOException {
        Optional<Long> position = watcher.position();
        if (position.isPresent()) {
            write(out, BOOKMARK, output.bookmark(position.get(), false));
            out.flush();
        }
    }

    private void event(ResponseStream out, Change.Seen seen) throws IOException {
        write(out, start(seen.type().name()), output.event(seen.item(), clock.instant(), first));
        first = false;
    }

    private static void write(ResponseStream out, byte[] start, byte[] object) throws IOException {
        out.write(start);
        out.write(object);
        out.write(END);
    }
}
