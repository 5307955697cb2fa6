package io.sluice.dataplane.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Plain HTTP for machines that ask how we are. Handlers run on virtual threads and may block.
 * Thread-safe; must not be opened or closed on its own loop.
 */
public final class HttpServer implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 512;
    private static final int MOST_BODY = 8 * 1024;
    private static final int IDLE_SECONDS = 30;

    private final Channel channel;
    private final ChannelGroup clients;
    private final Semaphore connections = new Semaphore(MOST_CONNECTIONS);

    /** Answers a request. */
    @FunctionalInterface
    public interface Handler {
        /** @param query parameters, decoded */
        HttpReply handle(String method, String path, Map<String, List<String>> query);
    }

    /** The thread all small servers share. */
    public static EventLoopGroup newLoop() {
        return new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("proxy-http", true), EpollIoHandler.newFactory());
    }

    /** @throws IOException if the address cannot be bound */
    public HttpServer(EventLoopGroup loop, InetSocketAddress address, Handler handler)
            throws IOException {
        clients = new DefaultChannelGroup(loop.next(), true);
        try {
            channel = new ServerBootstrap()
                    .group(loop)
                    .channel(EpollServerSocketChannel.class)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel client) {
                            init(client, handler);
                        }
                    })
                    .bind(address)
                    .syncUninterruptibly()
                    .channel();
        } catch (Exception e) { // Netty throws the bind's IOException without declaring it
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    private void init(Channel client, Handler handler) {
        if (!connections.tryAcquire()) {
            client.close();
            return;
        }
        client.closeFuture().addListener(closed -> connections.release());
        clients.add(client);
        client.pipeline()
                .addLast(new ReadTimeoutHandler(IDLE_SECONDS))
                .addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(MOST_BODY, true))
                .addLast(new FlowControlHandler())
                .addLast(new RequestHandler(handler));
    }

    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Also ends the connections there are, so that nobody goes on asking a server that is gone. */
    @Override
    public void close() {
        channel.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        clients.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    }

    /** One request at a time per connection: the next comes when the answer is written. */
    private static final class RequestHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final Handler handler;

        RequestHandler(Handler handler) {
            this.handler = handler;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            boolean keepAlive =
                    HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
            String method = request.method().name();
            String uri = request.uri();
            boolean bad = request.decoderResult().isFailure();
            context.channel().config().setAutoRead(false);
            Thread.ofVirtual().name("http").start(() -> {
                HttpReply reply = bad ? HttpReply.text(400, "bad request\n") : answer(method, uri);
                write(context, reply, keepAlive, method.equals("HEAD"));
            });
        }

        private HttpReply answer(String method, String uri) {
            try {
                QueryStringDecoder decoder = new QueryStringDecoder(uri);
                return handler.handle(method, decoder.path(), decoder.parameters());
            } catch (IllegalArgumentException e) {
                return HttpReply.text(400, e.getMessage() + '\n');
            } catch (RuntimeException | Error e) { // else the client would wait for ever
                return HttpReply.text(500, "failed inside: " + e + '\n');
            }
        }

        private static void write(
                ChannelHandlerContext context, HttpReply reply, boolean keepAlive, boolean head) {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    HttpResponseStatus.valueOf(reply.status()),
                    head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(reply.body()));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, reply.contentType())
                    .set(HttpHeaderNames.CONTENT_LENGTH, reply.body().length)
                    .set("X-Content-Type-Options", "nosniff");
            reply.headers().forEach((name, value) -> response.headers().set(name, value));
            if (!keepAlive) {
                response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            }
            context.writeAndFlush(response).addListener(written -> {
                if (keepAlive && written.isSuccess()) {
                    context.channel().config().setAutoRead(true);
                } else {
                    context.close();
                }
            });
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
