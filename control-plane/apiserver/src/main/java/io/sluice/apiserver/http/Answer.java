package io.sluice.apiserver.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way back to one client. The handler's thread writes; Netty's loop reports what went out and that the client is gone. Bytes on
 * their way are bounded: the writer waits.
 */
final class Answer {
    private static final int MAX_PENDING = 256 * 1024;

    private final Channel channel;
    private final boolean keepAlive;
    private final boolean chunked;
    private final Duration writeStall;
    private final Duration linger;
    private final Runnable done;
    private final HttpHeaders headers = new DefaultHttpHeaders();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition drained = lock.newCondition();
    private final List<Runnable> goneActions = new ArrayList<>();
    private long pending;
    private boolean gone;
    private volatile boolean begun;

    /**
     * @param linger how long the connection stays open after the answer, where it is not kept alive
     * @param done called on the loop once the answer is complete
     */
    Answer(
            Channel channel,
            boolean keepAlive,
            boolean chunked,
            Duration writeStall,
            Duration linger,
            Runnable done) {
        this.channel = channel;
        this.keepAlive = keepAlive;
        this.chunked = chunked;
        this.writeStall = writeStall;
        this.linger = linger;
        this.done = done;
    }

    HttpHeaders headers() {
        return headers;
    }

    boolean begun() {
        return begun;
    }

    void whole(int code, String contentType, byte[] content) {
        begun = true;
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(code),
                Unpooled.wrappedBuffer(content));
        fill(response.headers(), contentType);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.length);
        finish(channel.writeAndFlush(response));
    }

    void begin(int code, String contentType) {
        begun = true;
        DefaultHttpResponse response =
                new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(code));
        fill(response.headers(), contentType);
        if (chunked) {
            HttpUtil.setTransferEncodingChunked(response, true);
        }
        channel.writeAndFlush(response);
    }

    private void fill(HttpHeaders target, String contentType) {
        target.add(headers);
        if (!contentType.isEmpty()) {
            target.set(HttpHeaderNames.CONTENT_TYPE, contentType);
        }
        if (!keepAlive) {
            target.set(HttpHeaderNames.CONNECTION, "close");
        }
    }

    /** Sends a piece; waits while too much is on its way. The bytes must not be changed afterwards. */
    void send(byte[] bytes, int length) throws IOException {
        awaitRoom(length);
        channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes, 0, length)))
                .addListener(_ -> sent(length));
    }

    private void awaitRoom(int length) throws IOException {
        lock.lock();
        try {
            long left = writeStall.toNanos();
            long seen = pending;
            while (!gone && pending > MAX_PENDING) {
                left = drained.awaitNanos(left);
                if (pending < seen) {
                    seen = pending;
                    left = writeStall.toNanos();
                } else if (left <= 0) {
                    cut();
                    throw new IOException("the client read nothing for " + writeStall.toSeconds()
                            + " s; the answer is cut");
                }
            }
            if (gone) {
                throw new IOException("the client is gone");
            }
            pending += length;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while writing an answer", e);
        } finally {
            lock.unlock();
        }
    }

    private void sent(int length) {
        lock.lock();
        try {
            pending -= length;
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void end() {
        finish(channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
    }

    private void finish(ChannelFuture last) {
        last.addListener(_ -> {
            if (!keepAlive) {
                close();
            }
            done.run();
        });
    }

    /** A client that still sends is given time to read what it was told, before the reset that unread input causes. */
    private void close() {
        if (linger.isZero()) {
            channel.close();
        } else {
            channel.eventLoop()
                    .schedule(() -> channel.close(), linger.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    void cut() {
        channel.close();
    }

    void onGone(Runnable action) {
        lock.lock();
        try {
            if (!gone) {
                goneActions.add(action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    /** Called on the loop. */
    void gone() {
        List<Runnable> actions;
        lock.lock();
        try {
            gone = true;
            drained.signalAll();
            actions = List.copyOf(goneActions);
            goneActions.clear();
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }
}
