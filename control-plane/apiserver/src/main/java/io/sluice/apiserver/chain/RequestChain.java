package io.sluice.apiserver.chain;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.auth.Attributes;
import io.sluice.apiserver.auth.Authenticator;
import io.sluice.apiserver.auth.Authorizer;
import io.sluice.apiserver.auth.Identity;
import io.sluice.apiserver.discovery.OtherPaths;
import io.sluice.apiserver.http.HttpExchange;
import io.sluice.apiserver.http.HttpHandler;
import io.sluice.apiserver.http.HttpLimits;
import io.sluice.apiserver.metrics.ServerMetrics;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.rest.ApiPath;
import io.sluice.apiserver.rest.Query;
import io.sluice.apiserver.rest.ResourceRequests;
import io.sluice.store.StoreBusyException;
import io.sluice.store.StoreException;
import io.sluice.store.StoreFullException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The way of every request, in order; the only place where exceptions become answers. */
public final class RequestChain implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RequestChain.class);
    private static final Set<String> READING = Set.of("get", "list", "watch");
    private static final int MAX_AUDIT_ID = 64;

    private final Authenticator authenticator;
    private final Authorizer authorizer;
    private final InFlight inFlight;
    private final ResourceRequests resources;
    private final OtherPaths others;
    private final ServerMetrics metrics;
    private final HttpLimits limits;

    public RequestChain(
            Authenticator authenticator,
            Authorizer authorizer,
            InFlight inFlight,
            ResourceRequests resources,
            OtherPaths others,
            ServerMetrics metrics,
            HttpLimits limits) {
        this.authenticator = authenticator;
        this.authorizer = authorizer;
        this.inFlight = inFlight;
        this.resources = resources;
        this.others = others;
        this.metrics = metrics;
        this.limits = limits;
    }

    /** Bodies of strangers are not worth memory. */
    @Override
    public boolean admitsBody(HttpExchange.Head head) {
        return !head.certificates().isEmpty() || !head.header("authorization").isEmpty();
    }

    /** What a request turned out to be, as far as the chain has come. */
    private static final class Progress {
        ServerMetrics.Request request = ServerMetrics.Request.OTHER;
        int code = 200;
    }

    @Override
    public void handle(HttpExchange exchange) {
        long start = System.nanoTime();
        Progress progress = new Progress();
        exchange.addHeader("Audit-Id", auditId(exchange.head()));
        exchange.addHeader("Cache-Control", "no-cache, private");
        try {
            refuseFlaws(exchange);
            pass(exchange, progress);
        } catch (ApiException refusal) {
            refuse(exchange, progress, refusal);
        } catch (StoreException e) {
            refuse(exchange, progress, storeRefusal(e));
        } catch (IOException e) {
            LOG.debug(
                    "{} {} broke off: {}",
                    exchange.head().method(),
                    exchange.head().uri(),
                    e.getMessage());
            exchange.cut();
        } catch (InterruptedException e) {
            refuse(exchange, progress, Statuses.serviceUnavailable("the server stops"));
        } catch (RuntimeException | StackOverflowError e) {
            LOG.error(
                    "{} {} failed, which is a fault of the server",
                    exchange.head().method(),
                    exchange.head().uri(),
                    e);
            refuse(
                    exchange,
                    progress,
                    Statuses.internalError(
                            e.getClass().getSimpleName() + "; the server's log has more"));
        }
        metrics.ended(progress.request, progress.code, (System.nanoTime() - start) / 1e9);
    }

    private static String auditId(HttpExchange.Head head) {
        String given = head.header("audit-id");
        boolean usable = !given.isEmpty()
                && given.length() <= MAX_AUDIT_ID
                && given.chars().allMatch(c -> c > ' ' && c < 127);
        return usable ? given : UUID.randomUUID().toString();
    }

    private void refuseFlaws(HttpExchange exchange) {
        Optional<HttpExchange.Flaw> flaw = exchange.flaw();
        if (flaw.isEmpty()) {
            return;
        }
        throw switch (flaw.get()) {
            case BODY_TOO_LARGE -> Statuses.tooLarge("limit is " + limits.bodyBytes());
            case HEADERS_TOO_LARGE ->
                Statuses.headersTooLarge(
                        "request headers are larger than " + limits.headerBytes() + " bytes");
            case URI_TOO_LONG -> Statuses.headersTooLarge("the request line is too long");
            case MALFORMED -> Statuses.badRequest("the request is no valid HTTP");
            case TIMED_OUT ->
                Statuses.requestTimeout("the request was not complete within "
                        + limits.request().toSeconds() + " s");
            case SERVER_FULL -> Statuses.tooManyRequests(1);
        };
    }

    private void pass(HttpExchange exchange, Progress progress)
            throws IOException, InterruptedException {
        HttpExchange.Head head = exchange.head();
        Identity who = authenticator.identify(head).orElseThrow(Statuses::unauthorized);
        Query query = Query.of(head.uri());
        switch (ApiPath.of(head.uri())) {
            case ApiPath.Other other -> {
                progress.request = new ServerMetrics.Request(
                        head.method(), "", "", rootOf(other.path()), "", "");
                authorize(
                        who,
                        new Attributes.OfPath(
                                head.method().toLowerCase(Locale.ROOT), other.path()));
                others.serve(exchange, other.path(), query);
            }
            case ApiPath.OfResource path -> resource(exchange, who, path, query, progress);
        }
    }

    /** Bounded, since it becomes a label. */
    private static String rootOf(String path) {
        String root = path.substring(1).split("/", 2)[0];
        return Set.of("api", "apis", "openapi", "version", "metrics", "livez", "readyz", "healthz")
                        .contains(root)
                ? root
                : "other";
    }

    private void authorize(Identity who, Attributes wanted) {
        if (authorizer.allows(who, wanted)) {
            return;
        }
        if (who.equals(Identity.ANONYMOUS)) {
            throw Statuses.unauthorized();
        }
        String why = Authorizer.refusal(who, wanted);
        throw switch (wanted) {
            case Attributes.OfPath _ -> Statuses.forbiddenPath(why);
            case Attributes.OfResource resource ->
                Statuses.forbidden(resource.resource(), resource.name(), why);
        };
    }

    private void resource(
            HttpExchange exchange,
            Identity who,
            ApiPath.OfResource path,
            Query query,
            Progress progress)
            throws IOException, InterruptedException {
        String verb = ResourceRequests.verb(exchange.head().method(), path, query);
        authorize(
                who,
                new Attributes.OfResource(
                        verb.isEmpty() ? exchange.head().method().toLowerCase(Locale.ROOT) : verb,
                        path.resource(),
                        path.subresource(),
                        path.namespace(),
                        path.name()));
        progress.request = new ServerMetrics.Request(
                verb,
                path.resource().group(),
                path.resource().version(),
                path.resource().resource(),
                path.subresource(),
                path.isCollection()
                        ? path.namespace().isEmpty() ? "cluster" : "namespace"
                        : "resource");
        if (verb.isEmpty()) {
            throw Statuses.methodNotAllowed();
        }
        if (verb.equals("watch")) {
            watch(exchange, path, query);
            return;
        }
        try (InFlight.Place _ = inFlight.enter(!READING.contains(verb))) {
            resources.serve(exchange, path, query, verb);
        }
        if (exchange.head().method().equals("POST")) {
            progress.code = 201;
        }
    }

    private void watch(HttpExchange exchange, ApiPath.OfResource path, Query query)
            throws IOException, InterruptedException {
        metrics.watchBegan();
        try {
            resources.serve(exchange, path, query, "watch");
        } finally {
            metrics.watchEnded();
        }
    }

    private static ApiException storeRefusal(StoreException e) {
        return switch (e) {
            case StoreFullException full ->
                Statuses.serviceUnavailable(
                        "the store is full, the object was not written: " + full.getMessage());
            case StoreBusyException _ -> Statuses.tooManyRequests(1);
            default -> {
                LOG.error("the store failed", e);
                yield Statuses.internalError("the store failed: " + e.getMessage());
            }
        };
    }

    private static void refuse(HttpExchange exchange, Progress progress, ApiException refusal) {
        progress.code = refusal.code();
        if (exchange.answered()) {
            exchange.cut();
            return;
        }
        JsonNode wait = refusal.status().path("details").path("retryAfterSeconds");
        if (wait.isNumber()) {
            exchange.addHeader("Retry-After", wait.asText());
        }
        if (refusal.code() == 401) {
            exchange.addHeader("WWW-Authenticate", "Bearer realm=\"kubernetes\"");
        }
        exchange.respond(refusal.code(), "application/json", Json.bytes(refusal.status()));
    }
}
