package io.sluice.dataplane.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.channel.EventLoopGroup;
import io.sluice.dataplane.Http;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The small HTTP server, with real clients and with rude ones. */
class HttpServerTest {
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final EventLoopGroup loop = HttpServer.newLoop();
    private final CountDownLatch second = new CountDownLatch(1);
    private final AtomicBoolean overtaken = new AtomicBoolean();
    private final HttpServer server;

    HttpServerTest() throws IOException {
        server = new HttpServer(loop, ANY_PORT, this::answer);
    }

    private HttpReply answer(String method, String path, Map<String, List<String>> query) {
        return switch (path) {
            case "/hello" -> HttpReply.text(200, "hello " + query.get("who"));
            case "/argument" -> throw new IllegalArgumentException("no such thing");
            case "/fault" -> throw new IllegalStateException("broken");
            case "/error" -> throw new AssertionError("worse");
            case "/first" -> {
                try {
                    overtaken.set(second.await(200, TimeUnit.MILLISECONDS));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                yield HttpReply.text(200, "first");
            }
            case "/second" -> {
                second.countDown();
                yield HttpReply.text(200, "second");
            }
            default -> HttpReply.text(404, "no page\n");
        };
    }

    @AfterEach
    void close() {
        server.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void shouldAnswerWithWhatTheHandlerSays() throws IOException {
        HttpResponse<String> response = Http.get(server.port(), "/hello?who=you%20there");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("hello [you there]");
        assertThat(response.headers().firstValue("x-content-type-options")).contains("nosniff");
        assertThat(Http.get(server.port(), "/else").statusCode()).isEqualTo(404);
    }

    @Test
    void shouldTellHeadersAloneForHead() throws IOException {
        HttpResponse<String> response = Http.send("HEAD", server.port(), "/hello?who=x");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-length")).contains("9");
        assertThat(response.body()).isEmpty();
    }

    @Test
    void shouldAnswerWhereTheHandlerFails() throws IOException {
        assertThat(Http.get(server.port(), "/argument").statusCode()).isEqualTo(400);
        assertThat(Http.get(server.port(), "/argument").body()).isEqualTo("no such thing\n");
        assertThat(Http.get(server.port(), "/fault").statusCode()).isEqualTo(500);
        assertThat(Http.get(server.port(), "/error").body()).contains("worse");
    }

    @Test
    void shouldRefuseWhatIsNoHttp() throws IOException {
        assertThat(talk("\u0001\u0002 garbage\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(talk("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
        String large = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n";
        try (Socket socket = connect()) {
            socket.getOutputStream().write((large + "x".repeat(9_000)).getBytes(US_ASCII));
            byte[] start = socket.getInputStream().readNBytes(12);
            assertThat(new String(start, US_ASCII)).isEqualTo("HTTP/1.1 413");
        }
    }

    /** Sends, and reads until the server ends the connection. */
    private String talk(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    @Test
    void shouldAnswerPipelinedRequestsOneAfterTheOther() throws IOException {
        String answers = talk("GET /first HTTP/1.1\r\nHost: x\r\n\r\n"
                + "GET /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

        assertThat(overtaken).isFalse();
        assertThat(answers).containsSubsequence("\r\n\r\nfirst", "\r\n\r\nsecond");
    }

    @Test
    void shouldEndConnectionsWhenItCloses() throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write("GET /second HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            server.close();

            assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                    .endsWith("second");
        }
        assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    }

    @Test
    void shouldHoldABoundedNumberOfConnections() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 513; i++) {
                sockets.add(connect());
            }
            assertThat(sockets.getLast().getInputStream().read()).isEqualTo(-1);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        await().ignoreExceptions()
                .until(() -> Http.get(server.port(), "/second").statusCode() == 200);
    }

    @Test
    void shouldNameTheAddressItCannotHave() {
        InetSocketAddress taken =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());

        assertThatThrownBy(() -> new HttpServer(loop, taken, this::answer))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen on")
                .hasMessageContaining(String.valueOf(server.port()));
    }
}
