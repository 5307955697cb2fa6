package io.sluice.apiserver.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Builds the pipeline of each connection: TLS, then the protocol the client chose, then one {@link ExchangeAssembler}. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {
    private static final int MAX_STREAMS = 250;
    private static final int WINDOW = 256 * 1024;
    private static final int MAX_LINE = 16 * 1024;

    private final ServerParts parts;
    private final Supplier<SslContext> tls;

    /** @param tls asked for each connection, so that a renewed certificate serves at once */
    ConnectionInitializer(ServerParts parts, Supplier<SslContext> tls) {
        this.parts = parts;
        this.tls = tls;
    }

    @Override
    protected void initChannel(Channel channel) {
        HttpCounters counters = parts.counters();
        if (counters.connections.incrementAndGet() > parts.limits().connections()) {
            counters.connections.decrementAndGet();
            counters.connectionsRefused.incrementAndGet();
            channel.close();
            return;
        }
        channel.closeFuture().addListener(_ -> counters.connections.decrementAndGet());
        SslHandler handler = tls.get().newHandler(channel.alloc());
        handler.setHandshakeTimeoutMillis(parts.limits().handshake().toMillis());
        channel.pipeline().addLast(handler, new ProtocolChooser(parts));
    }

    /** Continues once TLS has agreed on a protocol. */
    private static final class ProtocolChooser extends ApplicationProtocolNegotiationHandler {
        private final ServerParts parts;

        ProtocolChooser(ServerParts parts) {
            super(ApplicationProtocolNames.HTTP_1_1);
            this.parts = parts;
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext context, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                http2(context.pipeline());
            } else {
                http1(context.pipeline());
            }
        }

        private void http1(ChannelPipeline pipeline) {
            ExchangeAssembler assembler = new ExchangeAssembler(parts, true);
            HttpDecoderConfig config = new HttpDecoderConfig()
                    .setMaxInitialLineLength(MAX_LINE)
                    .setMaxHeaderSize(parts.limits().headerBytes());
            pipeline.addLast(
                    idleTimer(),
                    new IdleCloser(assembler::isIdle),
                    new ArrivalReporter(assembler),
                    new HttpServerCodec(config),
                    assembler);
        }

        private void http2(ChannelPipeline pipeline) {
            Http2FrameCodec codec = Http2FrameCodecBuilder.forServer()
                    .initialSettings(new Http2Settings()
                            .maxConcurrentStreams(MAX_STREAMS)
                            .initialWindowSize(WINDOW)
                            .maxHeaderListSize(parts.limits().headerBytes()))
                    .gracefulShutdownTimeoutMillis(5_000)
                    .build();
            Http2MultiplexHandler streams =
                    new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel stream) {
                            stream.pipeline()
                                    .addLast(
                                            new Http2StreamFrameToHttpObjectCodec(true),
                                            new ExchangeAssembler(parts, false));
                        }
                    });
            pipeline.addLast(
                    idleTimer(),
                    new IdleCloser(() -> codec.connection().numActiveStreams() == 0),
                    codec,
                    streams);
        }

        private IdleStateHandler idleTimer() {
            return new IdleStateHandler(
                    0, 0, parts.limits().idle().toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
            parts.counters().handshakesFailed.incrementAndGet();
            context.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** Closes a connection on which nothing happens; a watch without events is not idle. */
    private static final class IdleCloser extends ChannelInboundHandlerAdapter {
        private final BooleanSupplier idle;

        IdleCloser(BooleanSupplier idle) {
            this.idle = idle;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof IdleStateEvent) {
                if (idle.getAsBoolean()) {
                    context.close();
                }
            } else {
                context.fireUserEventTriggered(event);
            }
        }
    }

    /** Starts the clock of a request with its first byte, before its head is complete. */
    private static final class ArrivalReporter extends ChannelInboundHandlerAdapter {
        private final ExchangeAssembler assembler;

        ArrivalReporter(ExchangeAssembler assembler) {
            this.assembler = assembler;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            assembler.bytesArrived(context);
            context.fireChannelRead(message);
        }
    }
}
