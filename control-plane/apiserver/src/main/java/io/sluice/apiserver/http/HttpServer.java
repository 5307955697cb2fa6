package io.sluice.apiserver.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Listens, and gives every request to one handler on a virtual thread of its own. */
public final class HttpServer implements AutoCloseable {
    private static final int BACKLOG = 4096;

    private final MultiThreadIoEventLoopGroup loops;
    private final ExecutorService workers;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final List<Channel> listeners = new ArrayList<>();
    private final HttpCounters counters = new HttpCounters();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final ServerParts parts;

    private HttpServer(HttpLimits limits, HttpHandler handler, ThreadFactory loopThreads) {
        int threads = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 4);
        this.loops =
                new MultiThreadIoEventLoopGroup(threads, loopThreads, EpollIoHandler.newFactory());
        this.workers = Executors.newVirtualThreadPerTaskExecutor();
        this.parts = new ServerParts(limits, counters, handler, workers, closing);
    }

    /**
     * Listens on all addresses at once, with one port.
     *
     * @param port 0 takes a free one, the same for all addresses
     * @throws IOException if an address cannot be bound; nothing stays open then
     */
    public static HttpServer start(
            List<InetAddress> addresses,
            int port,
            Supplier<SslContext> tls,
            HttpLimits limits,
            HttpHandler handler,
            ThreadFactory loopThreads)
            throws IOException {
        HttpServer out = new HttpServer(limits, handler, loopThreads);
        try {
            int chosen = port;
            for (InetAddress address : addresses) {
                chosen = out.bind(new InetSocketAddress(address, chosen), tls);
            }
            return out;
        } catch (IOException e) {
            out.close(Duration.ZERO);
            throw e;
        }
    }

    private int bind(InetSocketAddress address, Supplier<SslContext> tls) throws IOException {
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .handler(new AcceptTracker())
                .childHandler(new ConnectionInitializer(parts, tls))
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        listeners.add(bound.channel());
        return ((InetSocketAddress) bound.channel().localAddress()).getPort();
    }

    /** Remembers accepted connections for the end. */
    private final class AcceptTracker extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof Channel accepted) {
                connections.add(accepted);
            }
            context.fireChannelRead(message);
        }
    }

    public int port() {
        return ((InetSocketAddress) listeners.getFirst().localAddress()).getPort();
    }

    public HttpCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }

    /** Takes no new connections, lets running requests end within the grace, then closes everything. Watches must be ended before. */
    public void close(Duration grace) {
        closing.set(true);
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
        workers.shutdown();
        try {
            if (!workers.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                workers.shutdownNow();
            }
        } catch (InterruptedException e) {
            workers.shutdownNow();
            Thread.currentThread().interrupt();
        }
        connections.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
