package io.sluice.api.client;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One connection that carries one exchange at a time. The event loop puts what arrives into a queue, one blocked caller takes it
 * out; the socket is read only while fewer than {@value #MOST_QUEUED} pieces wait, so a slow caller slows the server and no memory
 * fills up.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
    private static final int MOST_QUEUED = 16;

    /** What the event loop tells the caller. */
    private sealed interface Piece {
        record Head(HttpResponse response) implements Piece {}

        /** Copied to the heap: the caller may go away at any moment, and nobody would release a buffer then. */
        record Body(byte[] bytes, boolean last) implements Piece {}

        record End(IOException cause) implements Piece {}
    }

    private final BlockingQueue<Piece> queue = new LinkedBlockingQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private volatile Channel channel;
    private volatile boolean keepAlive;

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        context.fireChannelActive();
    }

    void attach(Channel connected) {
        channel = connected;
    }

    boolean isReusable() {
        return keepAlive && channel.isActive() && queue.isEmpty();
    }

    void send(FullHttpRequest request) {
        queue.clear();
        queued.set(0);
        keepAlive = false;
        channel.writeAndFlush(request).addListener(written -> {
            if (!written.isSuccess()) {
                end(new IOException(
                        "sending the request failed: " + written.cause(), written.cause()));
            }
        });
        channel.read();
    }

    /** The answer's head. */
    HttpResponse head(Duration timeout) throws IOException {
        Piece piece = take(timeout);
        return switch (piece) {
            case Piece.Head head -> head.response();
            case Piece.End end -> throw end.cause();
            case Piece.Body body -> throw new IOException("the server sent a body before its head");
        };
    }

    /** The answer's body; reading fails after so long without a byte. */
    InputStream body(Duration idleTimeout) {
        return new Body(idleTimeout);
    }

    void close() {
        Channel open = channel;
        if (open != null) {
            open.close();
        }
    }

    private Piece take(Duration timeout) throws IOException {
        try {
            Piece piece = queue.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (piece == null) {
                close();
                throw new IOException("nothing arrived for " + timeout.toSeconds()
                        + " s; the connection is closed");
            }
            if (queued.getAndDecrement() == MOST_QUEUED) {
                channel.read(); // the loop stopped reading when it saw this many
            }
            return piece;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new InterruptedIOException("interrupted while waiting for the API server");
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpResponse response) {
                keepAlive = HttpUtil.isKeepAlive(response);
                if (response.decoderResult().isFailure()) {
                    fail(response.decoderResult().cause());
                    return;
                }
                put(new Piece.Head(response));
            }
            if (message instanceof HttpContent content) {
                if (content.decoderResult().isFailure()) {
                    fail(content.decoderResult().cause());
                    return;
                }
                boolean last = content instanceof LastHttpContent;
                if (last || content.content().isReadable()) {
                    put(new Piece.Body(ByteBufUtil.getBytes(content.content()), last));
                }
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void fail(Throwable cause) {
        end(new IOException("the answer is no HTTP: " + cause.getMessage(), cause));
        close();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (queued.get() < MOST_QUEUED) {
            context.read();
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end(new IOException("the server closed the connection"));
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        end(new IOException("the connection failed: " + cause.getMessage(), cause));
        context.close();
    }

    private void put(Piece piece) {
        queued.incrementAndGet();
        queue.add(piece);
    }

    private void end(IOException cause) {
        keepAlive = false;
        put(new Piece.End(cause));
    }

    /** Read by the caller; gives the connection up for reuse only when read to its end. */
    private final class Body extends InputStream {
        private final Duration idleTimeout;
        private byte[] current = new byte[0];
        private int position;
        private boolean last;

        Body(Duration idleTimeout) {
            this.idleTimeout = idleTimeout;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            while (position == current.length) {
                if (last) {
                    return -1;
                }
                switch (take(idleTimeout)) {
                    case Piece.Body body -> {
                        current = body.bytes();
                        position = 0;
                        last = body.last();
                    }
                    case Piece.End end -> throw end.cause();
                    case Piece.Head head ->
                        throw new IOException("the server sent two heads for one request: " + head);
                }
            }
            int count = Math.min(length, current.length - position);
            System.arraycopy(current, position, target, offset, count);
            position += count;
            return count;
        }

        @Override
        public void close() {
            if (!last) {
                HttpConnection.this.close();
            }
        }
    }
}
