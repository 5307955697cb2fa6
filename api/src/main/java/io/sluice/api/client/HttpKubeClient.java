package io.sluice.api.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.ObjectDecoder;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** {@link KubeClient} over {@link HttpTransport}. */
final class HttpKubeClient implements KubeClient {
    static final String JSON = "application/json";
    /** Of one answer that is read whole; lists are read in pages of {@value #PAGE}. */
    private static final int MOST_BYTES = 64 * 1024 * 1024;

    private static final int PAGE = 500;
    private static final int MOST_TRIES = 5;
    private static final long MOST_RETRY_AFTER_SECONDS = 10;
    /** Requests under way at once, watches apart; further callers wait. */
    private static final int MOST_CONCURRENT = 64;

    private final ClientConfig config;
    private final HttpTransport transport;
    private final WatchPace pace;
    private final Semaphore concurrent = new Semaphore(MOST_CONCURRENT, true);
    private final Set<WatchLoop<?>> watches = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    HttpKubeClient(ClientConfig config, WatchPace pace) {
        this.config = config;
        this.pace = pace;
        this.transport = new HttpTransport(config);
    }

    @Override
    public ObjectNode get(GroupVersionResource resource, NamespacedName name) throws IOException {
        return object("GET", item(resource, name, ""), JSON, new byte[0]);
    }

    @Override
    public List<ObjectNode> list(GroupVersionResource resource, ListOptions options)
            throws IOException {
        List<ObjectNode> out = new ArrayList<>();
        String next = "";
        do {
            String path = RequestPath.collection(resource, options.namespace())
                    .with(options)
                    .with("limit", String.valueOf(PAGE))
                    .with("continue", next)
                    .toString();
            ObjectNode page = object("GET", path, JSON, new byte[0]);
            for (JsonNode item : page.path("items")) {
                if (item instanceof ObjectNode object) {
                    out.add(object);
                }
            }
            next = KubeObject.text(page.path("metadata"), "continue");
        } while (!next.isEmpty());
        return out;
    }

    @Override
    public ObjectNode create(GroupVersionResource resource, ObjectNode object) throws IOException {
        String path = RequestPath.collection(resource, KubeObject.of(object).namespace())
                .toString();
        return object("POST", path, JSON, Json.bytes(object));
    }

    @Override
    public ObjectNode update(GroupVersionResource resource, ObjectNode object, String subresource)
            throws IOException {
        String path = item(resource, KubeObject.of(object).id(), subresource);
        return object("PUT", path, JSON, Json.bytes(object));
    }

    @Override
    public ObjectNode patch(
            GroupVersionResource resource,
            NamespacedName name,
            String subresource,
            PatchType type,
            JsonNode patch)
            throws IOException {
        return object(
                "PATCH", item(resource, name, subresource), type.mediaType(), Json.bytes(patch));
    }

    @Override
    public void delete(GroupVersionResource resource, NamespacedName name, ObjectNode options)
            throws IOException {
        byte[] body = options.isEmpty() ? new byte[0] : Json.bytes(options);
        checked("DELETE", item(resource, name, ""), JSON, body);
    }

    private static String item(
            GroupVersionResource resource, NamespacedName name, String subresource) {
        return RequestPath.collection(resource, name.namespace())
                .item(name.name(), subresource)
                .toString();
    }

    private ObjectNode object(String method, String path, String contentType, byte[] body)
            throws IOException {
        byte[] answer = checked(method, path, contentType, body).body();
        try {
            return Json.parseObject(answer);
        } catch (IOException e) {
            throw new IOException(
                    method + ' ' + path + ": the answer is no object: " + e.getMessage(), e);
        }
    }

    private Response checked(String method, String path, String contentType, byte[] body)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return limited(() -> read(
                        method,
                        path,
                        send(method, path, JSON, contentType, body, config.requestTimeout())));
            } catch (ApiStatusException e) {
                boolean again = (e.code() == 429 || e.code() == 503) && e.retryAfterSeconds() > 0;
                if (!again || attempt == MOST_TRIES || closed) {
                    throw e;
                }
                pause(Math.min(e.retryAfterSeconds(), MOST_RETRY_AFTER_SECONDS));
            }
        }
    }

    /** One request from its first byte to the end of its answer. */
    @FunctionalInterface
    private interface Call {
        Response run() throws IOException;
    }

    private Response limited(Call call) throws IOException {
        try {
            concurrent.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a turn");
        }
        try {
            return call.run();
        } finally {
            concurrent.release();
        }
    }

    private static void pause(long seconds) throws IOException {
        try {
            Thread.sleep(Duration.ofSeconds(seconds));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting to try again");
        }
    }

    private Response read(String method, String path, HttpTransport.Exchange exchange)
            throws IOException {
        Response response = readAll(exchange);
        if (response.code() < 200 || response.code() > 299) {
            throw refusal(method, path, exchange, response);
        }
        return response;
    }

    private Response readAll(HttpTransport.Exchange exchange) throws IOException {
        byte[] body;
        try (InputStream in = exchange.body()) {
            body = in.readNBytes(MOST_BYTES);
            if (body.length == MOST_BYTES) {
                throw new IOException("the answer is larger than " + MOST_BYTES + " bytes");
            }
        }
        transport.release(exchange.connection());
        String type = exchange.head().headers().get(HttpHeaderNames.CONTENT_TYPE, "");
        return new Response(exchange.head().status().code(), type, body);
    }

    private ApiStatusException refusal(
            String method, String path, HttpTransport.Exchange exchange, Response response) {
        if (response.code() == 401) {
            config.credentials().rejected();
        }
        String reason = "";
        String message = new String(
                response.body(),
                0,
                Math.min(response.body().length, 300),
                java.nio.charset.StandardCharsets.UTF_8);
        try {
            ObjectNode status = Json.parseObject(response.body());
            reason = KubeObject.text(status, "reason");
            message = KubeObject.text(status, "message");
        } catch (IOException e) {
            // No Status: the beginning of what came says most.
        }
        int at = path.indexOf('?');
        String text = method + ' ' + (at < 0 ? path : path.substring(0, at)) + ": "
                + response.code() + ' ' + message;
        return new ApiStatusException(response.code(), reason, text, retryAfter(exchange));
    }

    private static long retryAfter(HttpTransport.Exchange exchange) {
        String value = exchange.head().headers().get(HttpHeaderNames.RETRY_AFTER, "0");
        return value.matches("[0-9]{1,6}") ? Long.parseLong(value) : 0;
    }

    /** Sends a request whose answer is read as it comes. @throws ApiStatusException where the server refuses */
    HttpTransport.Exchange stream(String path, Duration idleTimeout) throws IOException {
        HttpTransport.Exchange exchange = send("GET", path, JSON, JSON, new byte[0], idleTimeout);
        int code = exchange.head().status().code();
        if (code < 200 || code > 299) {
            throw refusal("GET", path, exchange, readAll(exchange));
        }
        return exchange;
    }

    void release(HttpTransport.Exchange exchange) {
        transport.release(exchange.connection());
    }

    private HttpTransport.Exchange send(
            String method,
            String path,
            String accept,
            String contentType,
            byte[] body,
            Duration timeout)
            throws IOException {
        if (closed) {
            throw new IOException(method + ' ' + path + ": the client is closed");
        }
        return transport.exchange(method, path, accept, contentType, body, timeout);
    }

    @Override
    public Response raw(String method, String path, String contentType, byte[] body)
            throws IOException {
        Response response = limited(() ->
                readAll(send(method, path, "*/*", contentType, body, config.requestTimeout())));
        if (response.code() == 401) {
            config.credentials().rejected();
        }
        return response;
    }

    @Override
    public <T> Watch watch(
            GroupVersionResource resource,
            ListOptions options,
            ObjectDecoder<T> decoder,
            WatchListener<T> listener) {
        WatchLoop<T> loop =
                new WatchLoop<>(this, resource, options, decoder, listener, pace, watches::remove);
        watches.add(loop);
        loop.start();
        return loop;
    }

    Duration requestTimeout() {
        return config.requestTimeout();
    }

    @Override
    public void close() {
        closed = true;
        watches.forEach(WatchLoop::close);
        transport.close();
    }
}
