package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.http.HttpExchange;
import io.sluice.apiserver.http.ResponseStream;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.watchcache.Caches;
import io.sluice.apiserver.watchcache.Item;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/** Answers requests for objects and collections, by verb. Edge; each request on its own thread. */
public final class ResourceRequests {
    private static final byte[] COMMA = {','};
    private static final byte[] LIST_END = "]}".getBytes(StandardCharsets.US_ASCII);

    private final Registry registry;
    private final Caches caches;
    private final Reader reader;
    private final Writer writer;
    private final Deleter deleter;
    private final TokenRequests tokens;
    private final InstantSource clock;
    private final RandomGenerator random;

    public ResourceRequests(
            Registry registry,
            Caches caches,
            Reader reader,
            Writer writer,
            Deleter deleter,
            TokenRequests tokens,
            InstantSource clock,
            RandomGenerator random) {
        this.registry = registry;
        this.caches = caches;
        this.reader = reader;
        this.writer = writer;
        this.deleter = deleter;
        this.tokens = tokens;
        this.clock = clock;
        this.random = random;
    }

    /** What a request asks for, with everything its verbs need. */
    private record Call(
            HttpExchange exchange,
            Kind kind,
            ApiPath.OfResource path,
            Query query,
            Set<String> warnings) {
        String contentType() {
            return exchange.head().header("content-type");
        }

        Output output() {
            return Output.of(kind, exchange.head().header("accept"), query);
        }

        Writer.Target target(WriteOptions options) {
            return new Writer.Target(
                    kind,
                    path.namespace(),
                    path.name(),
                    path.subresource(),
                    options,
                    warnings::add);
        }
    }

    /** The verb a request's method means, in the words of roles; empty where the method means nothing here. */
    public static String verb(String method, ApiPath.OfResource path, Query query) {
        return switch (method) {
            case "GET" -> query.flag("watch") ? "watch" : path.isCollection() ? "list" : "get";
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> path.isCollection() ? "deletecollection" : "delete";
            default -> "";
        };
    }

    /**
     * Answers, or refuses by exception before the answer has begun.
     *
     * @throws IOException if the client is gone
     */
    public void serve(HttpExchange exchange, ApiPath.OfResource path, Query query, String verb)
            throws IOException, InterruptedException {
        Kind kind = registry.find(
                        path.resource().group(),
                        path.resource().version(),
                        path.resource().resource())
                .orElseThrow(Statuses::unknownPath);
        if (!kind.namespaced() && !path.namespace().isEmpty()) {
            throw Statuses.unknownPath();
        }
        Call call = new Call(exchange, kind, path, query, new LinkedHashSet<>());
        if (TokenRequests.isMeant(path)) {
            answer(call, 201, tokens.answer(path, verb, call.contentType(), exchange.body()));
            return;
        }
        boolean known = path.subresource().isEmpty()
                ? kind.verbs().contains(verb)
                : kind.subresources().contains(path.subresource())
                        && Set.of("get", "update", "patch").contains(verb);
        if (!path.subresource().isEmpty() && !kind.subresources().contains(path.subresource())) {
            throw Statuses.unknownPath();
        }
        boolean collectionOnly = verb.equals("create");
        boolean needsNamespace = kind.namespaced()
                && path.namespace().isEmpty()
                && !verb.equals("list")
                && !verb.equals("watch");
        boolean placed = verb.equals("list")
                || verb.equals("watch")
                || collectionOnly == path.isCollection()
                || verb.equals("deletecollection");
        if (!known || !placed || needsNamespace) {
            throw Statuses.methodNotAllowed();
        }
        dispatch(call, verb);
    }

    private void dispatch(Call call, String verb) throws IOException, InterruptedException {
        switch (verb) {
            case "get" -> get(call);
            case "list" -> list(call);
            case "watch" -> watch(call);
            case "create" -> create(call);
            case "update" -> update(call);
            case "patch" -> patch(call);
            case "delete" -> delete(call);
            case "deletecollection" -> deleteCollection(call);
            default -> throw Statuses.methodNotAllowed();
        }
    }

    private void get(Call call) {
        Output output = call.output();
        String version = call.query().text("resourceVersion");
        Item item = reader.get(
                call.kind(),
                call.path().namespace(),
                call.path().name(),
                version.isEmpty()
                        ? java.util.OptionalLong.empty()
                        : java.util.OptionalLong.of(ReadOptions.parseVersion(version)));
        call.exchange()
                .respond(200, output.format().contentType(), output.single(item, clock.instant()));
    }

    private void list(Call call) throws IOException {
        Output output = call.output();
        ReadOptions options = ReadOptions.of(call.kind(), call.path().namespace(), call.query());
        Reader.Page page = reader.list(call.kind(), options);
        stream(call.exchange(), output, page);
    }

    private void stream(HttpExchange exchange, Output output, Reader.Page page) throws IOException {
        Instant now = clock.instant();
        // Closed at the end alone: an answer that breaks off must not look complete.
        ResponseStream out = exchange.stream(200, output.format().contentType());
        out.write(output.listStart(page.revision(), page.token(), page.remaining()));
        boolean first = true;
        for (Item item : page.items()) {
            if (!first) {
                out.write(COMMA);
            }
            first = false;
            out.write(output.element(item, now));
        }
        out.write(LIST_END);
        out.close();
    }

    private void watch(Call call) throws IOException, InterruptedException {
        ReadOptions options = ReadOptions.of(call.kind(), call.path().namespace(), call.query());
        ReadOptions named = call.path().isCollection()
                ? options
                : options.withName(call.path().name());
        new WatchSession(reader, caches, clock, random, named, call.output()).run(call.exchange());
    }

    private void create(Call call) {
        WriteOptions options = WriteOptions.of(call.query());
        call.output();
        ObjectNode object = Bodies.object(
                call.kind(),
                call.contentType(),
                call.exchange().body(),
                options,
                call.warnings()::add);
        answer(call, 201, writer.create(call.target(options), object));
    }

    private void update(Call call) {
        WriteOptions options = WriteOptions.of(call.query());
        call.output();
        ObjectNode object = Bodies.object(
                call.kind(),
                call.contentType(),
                call.exchange().body(),
                options,
                call.warnings()::add);
        Writer.Written written = writer.update(call.target(options), object::deepCopy);
        answer(call, written.created() ? 201 : 200, written.object());
    }

    private void patch(Call call) {
        WriteOptions options = WriteOptions.of(call.query());
        call.output();
        UnaryOperator<ObjectNode> patch = Patches.of(
                call.kind(),
                call.path().name(),
                call.contentType(),
                call.exchange().body(),
                options,
                call.warnings()::add);
        answer(call, 200, writer.patch(call.target(options), patch));
    }

    private void delete(Call call) {
        DeleteOptions options = deleteOptions(call);
        Deleter.Deleted deleted =
                deleter.delete(call.kind(), call.path().namespace(), call.path().name(), options);
        if (deleted.gone()) {
            String uid = KubeObject.of(deleted.object()).uid();
            respond(
                    call,
                    200,
                    "application/json",
                    Json.bytes(
                            Statuses.deleted(call.kind().resource(), call.path().name(), uid)));
            return;
        }
        boolean foreground = options.propagation()
                .filter(policy -> policy == DeleteOptions.Propagation.FOREGROUND)
                .isPresent();
        answer(call, foreground ? 202 : 200, deleted.object());
    }

    private static DeleteOptions deleteOptions(Call call) {
        return DeleteOptions.of(
                Bodies.plain(
                        "meta-v1",
                        "DeleteOptions",
                        call.contentType(),
                        call.exchange().body()),
                call.query());
    }

    private void deleteCollection(Call call) throws IOException {
        DeleteOptions options = deleteOptions(call);
        ReadOptions selected = ReadOptions.of(call.kind(), call.path().namespace(), call.query());
        Reader.Page page = reader.list(call.kind(), selected);
        for (Item item : page.items()) {
            try {
                deleter.delete(call.kind(), item.namespace(), item.name(), options);
            } catch (io.sluice.apiserver.registry.ApiException e) {
                if (e.code() != 404) {
                    throw e;
                }
            }
        }
        stream(call.exchange(), call.output(), page);
    }

    private void answer(Call call, int code, ObjectNode object) {
        Output output = call.output();
        respond(call, code, output.format().contentType(), output.single(object, clock.instant()));
    }

    private static void respond(Call call, int code, String contentType, byte[] body) {
        for (String warning : call.warnings()) {
            String text = warning.replace("\\", "\\\\").replace("\"", "\\\"");
            call.exchange()
                    .addHeader("Warning", "299 - \"" + text.replaceAll("\\p{Cntrl}", " ") + '"');
        }
        call.exchange().respond(code, contentType, body);
    }
}
