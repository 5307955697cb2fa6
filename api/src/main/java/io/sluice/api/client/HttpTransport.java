package io.sluice.api.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** HTTP/1.1 over TLS to one server: keeps at most {@value #MOST_IDLE} idle connections. Thread-safe. */
final class HttpTransport implements AutoCloseable {
    private static final int MOST_IDLE = 8;
    private static final int CONNECT_TIMEOUT_MS = 10_000;

    private final ClientConfig config;
    private final String host;
    private final int port;
    private final boolean tls;
    private final EventLoopGroup loop;
    private final Deque<HttpConnection> idle = new ArrayDeque<>();
    private SslContext sslContext;
    private boolean closed;

    HttpTransport(ClientConfig config) {
        URI server = config.server();
        this.config = config;
        tls = !"http".equals(server.getScheme());
        host = server.getHost().replace("[", "").replace("]", "");
        port = server.getPort() > 0 ? server.getPort() : tls ? 443 : 80;
        loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("kube-client", true), NioIoHandler.newFactory());
    }

    /** One answer on its connection. Closing the body before its end closes the connection. */
    record Exchange(HttpResponse head, InputStream body, HttpConnection connection) {}

    /** Sends, and waits for the answer's head. @param idleTimeout for head and body alike, without a byte */
    Exchange exchange(
            String method,
            String path,
            String accept,
            String contentType,
            byte[] body,
            Duration idleTimeout)
            throws IOException {
        FullHttpRequest request = request(method, path, accept, contentType, body);
        HttpConnection reused = takeIdle();
        if (reused != null) {
            try {
                reused.send(request.copy());
                return new Exchange(reused.head(idleTimeout), reused.body(idleTimeout), reused);
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                // The server may have closed it while it was idle. Only requests that change
                // nothing are sent again.
                reused.close();
                if (!method.equals("GET")) {
                    throw e;
                }
            }
        }
        HttpConnection fresh = connect();
        try {
            fresh.send(request);
            return new Exchange(fresh.head(idleTimeout), fresh.body(idleTimeout), fresh);
        } catch (IOException e) {
            fresh.close();
            throw e;
        }
    }

    /** Gives a connection back whose answer was read to the end. */
    void release(HttpConnection connection) {
        synchronized (idle) {
            if (!closed && idle.size() < MOST_IDLE && connection.isReusable()) {
                idle.push(connection);
                return;
            }
        }
        connection.close();
    }

    private HttpConnection takeIdle() {
        synchronized (idle) {
            while (!idle.isEmpty()) {
                HttpConnection connection = idle.pop();
                if (connection.isReusable()) {
                    return connection;
                }
                connection.close();
            }
            return null;
        }
    }

    private FullHttpRequest request(
            String method, String path, String accept, String contentType, byte[] body)
            throws IOException {
        String base = config.server().getRawPath();
        String prefix = base == null || base.equals("/") ? "" : base.replaceAll("/$", "");
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.valueOf(method),
                prefix + path,
                Unpooled.wrappedBuffer(body));
        request.headers()
                .set(
                        HttpHeaderNames.HOST,
                        (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + port)
                .set(HttpHeaderNames.USER_AGENT, config.userAgent())
                .set(HttpHeaderNames.ACCEPT, accept);
        if (body.length > 0) {
            request.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, contentType)
                    .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        } else if (!method.equals("GET")) {
            request.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
        }
        Optional<String> authorization = config.credentials().authorization();
        try {
            authorization.ifPresent(
                    value -> request.headers().set(HttpHeaderNames.AUTHORIZATION, value));
        } catch (IllegalArgumentException e) {
            // Without the cause: its text may hold the credential.
            throw new IOException(
                    "credentials for " + config.server()
                            + " hold characters that no HTTP header may have; is there a line break in the token?");
        }
        return request;
    }

    private HttpConnection connect() throws IOException {
        synchronized (idle) {
            if (closed) {
                throw new IOException("the client of " + config.server() + " is closed");
            }
        }
        SslContext context = tls ? sslContext() : null;
        HttpConnection connection = new HttpConnection();
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (context != null) {
                            channel.pipeline().addLast(sslHandler(context, channel));
                        }
                        channel.pipeline()
                                .addLast(new HttpClientCodec(4096, 65_536, 65_536, true))
                                .addLast(connection);
                    }
                })
                .connect(host, port);
        connection.attach(connecting.channel());
        try {
            await(connecting);
            SslHandler ssl = connecting.channel().pipeline().get(SslHandler.class);
            if (ssl != null) {
                connecting.channel().read();
                await(ssl.handshakeFuture());
            }
            return connection;
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    private SslHandler sslHandler(SslContext context, Channel channel) {
        String name = config.tlsServerName().isEmpty() ? host : config.tlsServerName();
        SslHandler handler = context.newHandler(channel.alloc(), name, port);
        handler.setHandshakeTimeoutMillis(CONNECT_TIMEOUT_MS);
        return handler;
    }

    private void await(io.netty.util.concurrent.Future<?> future) throws IOException {
        try {
            boolean done = future.await(2L * CONNECT_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            if (!done || !future.isSuccess()) {
                String cause = done ? String.valueOf(future.cause().getMessage()) : "time-out";
                throw new IOException(
                        "cannot connect to " + config.server() + ": " + cause, future.cause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while connecting to " + config.server());
        }
    }

    private synchronized SslContext sslContext() throws IOException {
        if (sslContext == null) {
            sslContext = TlsContexts.of(config);
        }
        return sslContext;
    }

    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
            idle.forEach(HttpConnection::close);
            idle.clear();
        }
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS);
    }
}
