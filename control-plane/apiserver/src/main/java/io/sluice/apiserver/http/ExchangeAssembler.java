package io.sluice.apiserver.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Puts requests together and hands each to a virtual thread; one at a time for a connection, later ones wait in order. One for each
 * HTTP/1.1 connection and each HTTP/2 stream; runs on the channel's loop alone.
 */
final class ExchangeAssembler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ExchangeAssembler.class);
    private static final int MAX_WAITING = 64;

    private final ServerParts parts;
    private final boolean http1;
    private final ArrayDeque<Object> waiting = new ArrayDeque<>();
    private Optional<Answer> answering = Optional.empty();
    private Optional<Incoming> incoming = Optional.empty();
    private Optional<Future<?>> deadline = Optional.empty();
    private int held;
    private boolean closing;
    private boolean requestEnded;

    ExchangeAssembler(ServerParts parts, boolean http1) {
        this.parts = parts;
        this.http1 = http1;
    }

    /** A request being read. */
    private static final class Incoming {
        final HttpExchange.Head head;
        final HttpRequest request;
        final boolean wanted;
        final ByteArrayOutputStream body = new ByteArrayOutputStream(256);
        Optional<HttpExchange.Flaw> flaw = Optional.empty();

        Incoming(HttpExchange.Head head, HttpRequest request, boolean wanted) {
            this.head = head;
            this.request = request;
            this.wanted = wanted;
        }
    }

    /** Bytes of a request have come in; from here on the request must be complete in time. */
    void bytesArrived(ChannelHandlerContext context) {
        if (deadline.isEmpty() && answering.isEmpty() && !closing) {
            deadline = Optional.of(context.executor()
                    .schedule(
                            () -> timedOut(context),
                            parts.limits().request().toMillis(),
                            TimeUnit.MILLISECONDS));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (closing) {
            requestEnded |= message instanceof LastHttpContent;
            ReferenceCountUtil.release(message);
            closeIfDone(context);
        } else if (answering.isPresent()) {
            waiting.add(message);
            if (waiting.size() >= MAX_WAITING) {
                context.channel().config().setAutoRead(false);
            }
        } else {
            accept(context, message);
        }
    }

    /** Nothing more comes, and everything is said. */
    private void closeIfDone(ChannelHandlerContext context) {
        if (closing && requestEnded && answering.isEmpty()) {
            context.close();
        }
    }

    private void accept(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest request) {
                begin(context, request);
            }
            if (message instanceof HttpContent content && incoming.isPresent()) {
                append(context, incoming.get(), content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        bytesArrived(context);
        HttpExchange.Head head = new HttpExchange.Head(
                request.method().name(),
                request.uri(),
                request.headers(),
                PeerCertificates.of(context.channel()),
                String.valueOf(
                        (http1 ? context.channel() : context.channel().parent()).remoteAddress()));
        boolean broken = request.decoderResult().isFailure();
        Incoming next = new Incoming(head, request, !broken && parts.handler().admitsBody(head));
        incoming = Optional.of(next);
        if (broken) {
            refuse(context, next, flawOf(request.decoderResult()));
        } else if (declaredLength(request) > parts.limits().bodyBytes()) {
            refuse(context, next, HttpExchange.Flaw.BODY_TOO_LARGE);
        } else if (http1 && HttpUtil.is100ContinueExpected(request)) {
            context.writeAndFlush(new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
    }

    private static long declaredLength(HttpRequest request) {
        try {
            return HttpUtil.getContentLength(request, 0L);
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    private static HttpExchange.Flaw flawOf(DecoderResult result) {
        return switch (result.cause()) {
            case TooLongHttpHeaderException _ -> HttpExchange.Flaw.HEADERS_TOO_LARGE;
            case TooLongHttpLineException _ -> HttpExchange.Flaw.URI_TOO_LONG;
            default -> HttpExchange.Flaw.MALFORMED;
        };
    }

    private void append(ChannelHandlerContext context, Incoming current, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            refuse(context, current, HttpExchange.Flaw.MALFORMED);
            return;
        }
        ByteBuf bytes = content.content();
        int count = bytes.readableBytes();
        if (current.wanted && count > 0) {
            if (current.body.size() + count > parts.limits().bodyBytes()) {
                refuse(context, current, HttpExchange.Flaw.BODY_TOO_LARGE);
                return;
            }
            if (parts.counters().bodyBytes.addAndGet(count) > parts.limits().bodyBytesTotal()) {
                parts.counters().bodyBytes.addAndGet(-count);
                refuse(context, current, HttpExchange.Flaw.SERVER_FULL);
                return;
            }
            byte[] copy = new byte[count];
            bytes.readBytes(copy);
            current.body.writeBytes(copy);
        }
        if (content instanceof LastHttpContent) {
            dispatch(context, current, HttpUtil.isKeepAlive(current.request) && !parts.closing());
        }
    }

    private void refuse(ChannelHandlerContext context, Incoming current, HttpExchange.Flaw flaw) {
        current.flaw = Optional.of(flaw);
        closing = true;
        dispatch(context, current, false);
    }

    private void timedOut(ChannelHandlerContext context) {
        deadline = Optional.empty();
        parts.counters().requestsTimedOut.incrementAndGet();
        if (incoming.isPresent()) {
            refuse(context, incoming.get(), HttpExchange.Flaw.TIMED_OUT);
        } else {
            context.close();
        }
    }

    private void dispatch(ChannelHandlerContext context, Incoming current, boolean keepAlive) {
        cancelDeadline();
        incoming = Optional.empty();
        byte[] body = current.body.toByteArray();
        boolean chunked = http1 && current.request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        // An HTTP/1.0 answer of unknown length ends with the connection.
        boolean keep = http1 ? keepAlive && chunked : current.flaw.isEmpty();
        held = body.length;
        Answer answer = new Answer(
                context.channel(),
                keep,
                chunked,
                parts.limits().writeStall(),
                // A client refused half-way may send the rest in its time; it is thrown away.
                current.flaw.isEmpty() ? Duration.ZERO : parts.limits().request(),
                () -> context.executor().execute(() -> finished(context)));
        answering = Optional.of(answer);
        HttpExchange exchange = new HttpExchange(current.head, body, current.flaw, answer);
        parts.workers().execute(() -> run(exchange));
    }

    private void run(HttpExchange exchange) {
        try {
            parts.handler().handle(exchange);
        } finally {
            if (!exchange.answered()) {
                exchange.cut();
            }
        }
    }

    private void finished(ChannelHandlerContext context) {
        releaseBody();
        answering = Optional.empty();
        closeIfDone(context);
        while (answering.isEmpty() && !closing && !waiting.isEmpty()) {
            accept(context, waiting.poll());
        }
        if (waiting.size() < MAX_WAITING && !context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(true);
        }
    }

    private void releaseBody() {
        parts.counters().bodyBytes.addAndGet(-held);
        held = 0;
    }

    /** Nothing is being read or answered. */
    boolean isIdle() {
        return answering.isEmpty() && incoming.isEmpty() && waiting.isEmpty();
    }

    private void cancelDeadline() {
        deadline.ifPresent(future -> future.cancel(false));
        deadline = Optional.empty();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closing = true;
        cancelDeadline();
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        incoming.ifPresent(current -> parts.counters().bodyBytes.addAndGet(-current.body.size()));
        incoming = Optional.empty();
        releaseBody();
        answering.ifPresent(Answer::gone);
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("closing {}: {}", context.channel(), cause.toString());
        context.close();
    }
}
