package io.sluice.api.client;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.GlobalEventExecutor;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * An API server that plays a script over real TLS: each request takes the next answer, written byte for byte, so that it can be as
 * wrong as need be. Without a script left, connections hang.
 */
final class ScriptedServer implements AutoCloseable {
    /** What a client asked. */
    record Request(
            String method,
            String uri,
            String authorization,
            String contentType,
            String body,
            Channel channel) {
        boolean isWatch() {
            return uri.contains("watch=true");
        }
    }

    /** Bytes to send for one request. @param thenClose whether the connection is cut behind them */
    record Answer(String bytes, boolean thenClose) {}

    final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Deque<Answer> script = new ConcurrentLinkedDeque<>();
    /** Answers what the script does not; null leaves the connection hanging. One thread calls it. */
    volatile Function<Request, Answer> otherwise = request -> null;

    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final int port;
    final TestPki pki;

    ScriptedServer(TestPki pki) throws Exception {
        this.pki = pki;
        SslContext context = SslContextBuilder.forServer(
                        stream(pki.server.certificatePem()), stream(pki.server.keyPem()))
                .trustManager(stream(pki.authority.certificatePem()))
                .clientAuth(ClientAuth.OPTIONAL)
                .build();
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channels.add(channel);
                        channel.pipeline()
                                .addLast(context.newHandler(channel.alloc()))
                                .addLast(new HttpRequestDecoder())
                                .addLast(new HttpObjectAggregator(1 << 20))
                                .addLast(new Player());
                    }
                })
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        port = ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private static InputStream stream(String pem) {
        return new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
    }

    URI uri() {
        return URI.create("https://127.0.0.1:" + port);
    }

    ClientConfig config() {
        return new ClientConfig(
                uri(),
                pki.authority.certificatePem(),
                false,
                "",
                "",
                "",
                ClientConfig.Credentials.NONE,
                "test",
                Duration.ofSeconds(60));
    }

    ScriptedServer then(Answer answer) {
        script.add(answer);
        return this;
    }

    /** A whole answer with length and headers (each ending with CRLF). */
    ScriptedServer then(int code, String headers, String body) {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        return then(new Answer(
                "HTTP/1.1 " + code + " X\r\nContent-Type: application/json\r\n" + headers
                        + "Content-Length: " + length + "\r\n\r\n" + body,
                false));
    }

    ScriptedServer then(int code, String body) {
        return then(code, "", body);
    }

    /** Starts a chunked stream with these lines, and leaves it open. */
    ScriptedServer thenStream(String... lines) {
        return then(new Answer(streamHead() + chunks(lines), false));
    }

    /** A chunked stream with these lines that ends in order. */
    ScriptedServer thenEndedStream(String... lines) {
        return then(new Answer(streamHead() + chunks(lines) + "0\r\n\r\n", false));
    }

    static String streamHead() {
        return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    }

    static String chunks(String... lines) {
        StringBuilder out = new StringBuilder();
        for (String line : lines) {
            out.append(Integer.toHexString(line.getBytes(StandardCharsets.UTF_8).length + 1))
                    .append("\r\n")
                    .append(line)
                    .append("\n\r\n");
        }
        return out.toString();
    }

    /** Sends more on the connection of a request seen before. */
    void send(Request request, String bytes) {
        request.channel().writeAndFlush(Unpooled.copiedBuffer(bytes, StandardCharsets.UTF_8));
    }

    List<String> uris() {
        return requests.stream().map(Request::uri).toList();
    }

    List<Request> watches() {
        return new ArrayList<>(requests.stream().filter(Request::isWatch).toList());
    }

    int openConnections() {
        return channels.size();
    }

    private final class Player extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            Request asked = new Request(
                    request.method().name(),
                    request.uri(),
                    request.headers().get("Authorization", ""),
                    request.headers().get("Content-Type", ""),
                    request.content().toString(StandardCharsets.UTF_8),
                    context.channel());
            requests.add(asked);
            Answer scripted = script.poll();
            Answer answer = scripted != null ? scripted : otherwise.apply(asked);
            if (answer != null) {
                ByteBuf bytes = Unpooled.copiedBuffer(answer.bytes(), StandardCharsets.ISO_8859_1);
                context.writeAndFlush(bytes).addListener(written -> {
                    if (answer.thenClose()) {
                        context.close();
                    }
                });
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    }
}
