package io.sluice.api.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.Decoded;
import io.sluice.api.model.ObjectDecoder;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Follows one collection for ever. State, owned by its virtual thread:
 *
 * <pre>
 *   empty ──list or WatchList──► synced ──stream──► synced      (server ends the stream, network breaks: resume)
 *     ▲                             │
 *     └───────── 410 Gone ──────────┘                           (history is lost: list again, report what is gone)
 * </pre>
 */
final class WatchLoop<T> implements KubeClient.Watch {
    private static final int SHORTEST_STREAM_SECONDS = 300;
    private static final int PAGE = 500;
    private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(2);
    private static final String INITIAL_END = "k8s.io/initial-events-end";
    /** So many failed streaming lists are followed by one try with a plain list. */
    private static final int STREAMED_STARTS = 3;

    private final HttpKubeClient client;
    private final GroupVersionResource resource;
    private final ListOptions options;
    private final ObjectDecoder<T> decoder;
    private final WatchListener<T> listener;
    private final WatchPace pace;
    private final Backoff backoff;
    private final Consumer<WatchLoop<?>> onClosed;
    private final Thread thread;
    private final Object delivery = new Object();
    private volatile boolean closed;
    private volatile HttpConnection open;

    // Owned by the watch's thread.
    private final Map<NamespacedName, String> known = new HashMap<>();
    private String resourceVersion = "";
    private boolean watchList = true;
    private int failedStarts;

    WatchLoop(
            HttpKubeClient client,
            GroupVersionResource resource,
            ListOptions options,
            ObjectDecoder<T> decoder,
            WatchListener<T> listener,
            WatchPace pace,
            Consumer<WatchLoop<?>> onClosed) {
        this.client = client;
        this.resource = resource;
        this.options = options;
        this.decoder = decoder;
        this.listener = listener;
        this.pace = pace;
        this.backoff = new Backoff(pace);
        this.onClosed = onClosed;
        this.thread = Thread.ofVirtual().name("watch-" + resource.resource()).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            boolean starting = resourceVersion.isEmpty();
            try {
                if (starting) {
                    synchronise();
                } else {
                    follow(streamPath(resourceVersion), Optional.empty());
                }
                failedStarts = 0;
                backoff.reset();
            } catch (ApiStatusException e) {
                onRefusal(e);
            } catch (IOException e) {
                failedStarts += starting ? 1 : 0;
                retryLater(String.valueOf(e.getMessage()), backoff.next());
            } catch (RuntimeException | Error e) {
                // A listener's or decoder's fault must not end the watch: everybody behind it would
                // see stale data.
                resourceVersion = "";
                retryLater("failed inside: " + e, backoff.next());
            }
        }
    }

    private void onRefusal(ApiStatusException e) {
        boolean byUs = e.code() == 400
                || e.code() == 405
                || e.code() == 406
                || e.code() == 415
                || e.code() == 422;
        if (e.isGone()) {
            resourceVersion = "";
            retryLater(
                    "history is no longer held, listing again (" + e.getMessage() + ')',
                    backoff.next());
        } else if (resourceVersion.isEmpty() && watchList && byUs) {
            watchList = false; // a server without streaming lists
        } else {
            failedStarts += resourceVersion.isEmpty() ? 1 : 0;
            Duration asked = Duration.ofSeconds(Math.min(e.retryAfterSeconds(), 30));
            Duration own = backoff.next();
            retryLater(e.getMessage(), asked.compareTo(own) > 0 ? asked : own);
        }
    }

    private void retryLater(String problem, Duration wait) {
        if (closed) {
            return;
        }
        deliver(() -> listener.onProblem("watch of " + resource.groupResource() + ": " + problem
                + "; trying again in " + wait.toMillis() + " ms"));
        try {
            Thread.sleep(wait);
        } catch (InterruptedException e) {
            // Either close() did it, and the loop ends by its flag, or a listener left its own
            // interruption behind, which must not end the watch.
            return;
        }
    }

    private void synchronise() throws IOException {
        Set<NamespacedName> seen = new HashSet<>();
        if (watchList && failedStarts % (STREAMED_STARTS + 1) < STREAMED_STARTS) {
            String path = RequestPath.collection(resource, options.namespace())
                    .with(options)
                    .with("watch", "true")
                    .with("sendInitialEvents", "true")
                    .with("resourceVersionMatch", "NotOlderThan")
                    .with("allowWatchBookmarks", "true")
                    .with("timeoutSeconds", streamSeconds())
                    .toString();
            follow(path, Optional.of(seen));
        } else {
            String version = list(seen);
            onComplete(seen, version);
        }
    }

    private String streamPath(String from) {
        return RequestPath.collection(resource, options.namespace())
                .with(options)
                .with("watch", "true")
                .with("resourceVersion", from)
                .with("allowWatchBookmarks", "true")
                .with("timeoutSeconds", streamSeconds())
                .toString();
    }

    private String streamSeconds() {
        return String.valueOf(
                SHORTEST_STREAM_SECONDS + pace.random().get().nextInt(SHORTEST_STREAM_SECONDS));
    }

    /** Reads a stream to its end. @param initial names seen so far, while the stream still delivers the initial state */
    private void follow(String path, Optional<Set<NamespacedName>> initial) throws IOException {
        HttpTransport.Exchange exchange = client.stream(path, pace.silence());
        open = exchange.connection();
        Optional<Set<NamespacedName>> seen = initial;
        int events = 0;
        try (JsonLines lines = new JsonLines(exchange.body())) {
            while (!closed) {
                Optional<byte[]> line = lines.next();
                if (line.isEmpty()) {
                    break;
                }
                events++;
                if (onLine(line.get(), seen)) {
                    seen = Optional.empty();
                }
            }
        } finally {
            open = null;
        }
        client.release(exchange);
        if (!closed && (seen.isPresent() || events == 0)) {
            throw new IOException(
                    seen.isPresent()
                            ? "the stream ended before the initial state was complete"
                            : "the stream ended without an event");
        }
    }

    /** @return whether the line completed the initial state */
    private boolean onLine(byte[] line, Optional<Set<NamespacedName>> seen) throws IOException {
        WatchEvent<T> event = WatchEvent.parse(line, decoder, this::problem);
        switch (event) {
            case WatchEvent.Upsert<T> upsert -> {
                seen.ifPresent(names -> names.add(upsert.object().name()));
                upsert(upsert.object());
                advance(seen, upsert.object().resourceVersion());
            }
            case WatchEvent.Delete<T> delete -> {
                seen.ifPresent(names -> names.remove(delete.name()));
                delete(delete.name());
                advance(seen, delete.resourceVersion());
            }
            case WatchEvent.Bookmark<T> bookmark -> {
                if (seen.isPresent() && bookmark.annotations().containsKey(INITIAL_END)) {
                    onComplete(seen.get(), bookmark.resourceVersion());
                    return true;
                }
                advance(seen, bookmark.resourceVersion());
            }
            case WatchEvent.Failure<T> failure ->
                throw new ApiStatusException(
                        failure.code(), failure.reason(), failure.message(), 0);
            case WatchEvent.Unreadable<T> unreadable -> advance(seen, unreadable.resourceVersion());
        }
        return false;
    }

    /** A live event moves the point to resume from, and shows that the server is well again. */
    private void advance(Optional<Set<NamespacedName>> seen, String version) {
        if (seen.isEmpty() && !version.isEmpty()) {
            resourceVersion = version;
            backoff.reset();
        }
    }

    private void onComplete(Set<NamespacedName> seen, String version) throws IOException {
        if (version.isEmpty()) {
            throw new IOException("the answer has no metadata.resourceVersion, so it is no list");
        }
        for (NamespacedName name : Set.copyOf(known.keySet())) {
            if (!seen.contains(name)) {
                delete(name);
            }
        }
        resourceVersion = version;
        deliver(listener::onSynced);
    }

    private String list(Set<NamespacedName> seen) throws IOException {
        String next = "";
        String version;
        do {
            String path = RequestPath.collection(resource, options.namespace())
                    .with(options)
                    .with("limit", String.valueOf(PAGE))
                    .with("continue", next)
                    .toString();
            HttpTransport.Exchange exchange = client.stream(path, client.requestTimeout());
            open = exchange.connection();
            ObjectNode meta;
            try (InputStream body = exchange.body();
                    JsonParser parser = Json.FACTORY.createParser(body)) {
                meta = readPage(parser, seen);
            } finally {
                open = null;
            }
            client.release(exchange);
            version = KubeObject.text(meta, "resourceVersion");
            next = KubeObject.text(meta, "continue");
        } while (!next.isEmpty() && !closed);
        return version;
    }

    private ObjectNode readPage(JsonParser parser, Set<NamespacedName> seen) throws IOException {
        ObjectNode meta = Json.object();
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("the list is no JSON object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("metadata") && Json.readTree(parser) instanceof ObjectNode found) {
                meta = found;
            } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    decoder.decode(parser, this::problem).ifPresent(object -> {
                        seen.add(object.name());
                        upsert(object);
                    });
                }
            } else {
                parser.skipChildren();
            }
        }
        if (parser.nextToken() != null) {
            throw new IOException("the list goes on after its end");
        }
        return meta;
    }

    /** Remembers after the call: what a listener failed on is delivered again by the next list. */
    private void upsert(Decoded<T> object) {
        String version = object.resourceVersion();
        if (version.isEmpty() || !version.equals(known.get(object.name()))) {
            deliver(() -> listener.onUpsert(object.value()));
            known.put(object.name(), version);
        }
    }

    private void delete(NamespacedName name) {
        if (known.containsKey(name)) {
            deliver(() -> listener.onDelete(name));
            known.remove(name);
        }
    }

    private void problem(String text) {
        deliver(() -> listener.onProblem(text));
    }

    private void deliver(Runnable call) {
        synchronized (delivery) {
            if (!closed) {
                call.run();
            }
        }
    }

    /** So that nobody closes the event loop under the thread's feet; it has been interrupted, so it is quick. */
    private void awaitEnd() {
        try {
            thread.join(LONGEST_FAREWELL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        HttpConnection connection = open;
        if (connection != null) {
            connection.close();
        }
        onClosed.accept(this);
        if (Thread.currentThread() != thread) {
            thread.interrupt();
            synchronized (delivery) { // waits for a call under way
                open = null;
            }
            awaitEnd();
        }
    }
}
