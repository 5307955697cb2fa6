package io.sluice.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.apiserver.RunningServer.Caller;
import io.sluice.apiserver.http.HttpLimits;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import javax.net.ssl.SSLSocket;

/** Clients that are slow, wrong, or many; in each case another client is served as if they were not there. */
class HostileClientsTest {
    private static final int MAX_CONNECTIONS = 400;

    @TempDir
    static Path directory;

    private static RunningServer server;
    private static Caller admin;

    @BeforeAll
    static void start() throws IOException {
        server = RunningServer.start(
                directory,
                new HttpLimits(
                        MAX_CONNECTIONS,
                        64 * 1024,
                        1024 * 1024,
                        8 * 1024,
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(4),
                        Duration.ofMinutes(10),
                        Duration.ofSeconds(30)));
        admin = server.admin();
    }

    @AfterAll
    static void stop() {
        othersAreServed();
        admin.close();
        server.close();
    }

    private static void othersAreServed() {
        assertThat(admin.get("/api/v1/namespaces/default").code()).isEqualTo(200);
    }

    private static SSLSocket connect(String identity) throws IOException {
        SSLSocket out = (SSLSocket) server.tls(identity)
                .getSocketFactory()
                .createSocket("127.0.0.1", server.server().port());
        out.setSoTimeout(60_000);
        out.startHandshake();
        return out;
    }

    private static void send(SSLSocket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Everything until the server closes. */
    private static String readAll(SSLSocket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static String get(String path, String more) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
    }

    @Test
    void answersPipelinedRequestsInOrder() throws IOException {
        try (SSLSocket socket = connect("admin")) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                all.append(get("/api/v1/namespaces/none" + i, ""));
            }
            all.append(get("/livez", "Connection: close\r\n"));
            send(socket, all.toString());
            String answer = readAll(socket);
            int at = 0;
            for (int i = 0; i < 100; i++) {
                int next = answer.indexOf("namespaces \\\"none" + i + "\\\" not found", at);
                assertThat(next).as("answer %d follows the one before", i).isGreaterThan(at);
                at = next;
            }
            assertThat(answer.substring(at)).endsWith("ok");
        }
    }

    @Test
    void closesRequestsThatDoNotEnd() throws IOException {
        try (SSLSocket head = connect("admin");
                SSLSocket body = connect("admin")) {
            send(head, "GET /livez HTT");
            send(
                    body,
                    "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
            assertThat(readAll(head)).isEmpty();
            assertThat(readAll(body)).startsWith("HTTP/1.1 408 ");
        }
        othersAreServed();
    }

    @Test
    void closesHandshakesThatDoNotEnd() throws IOException {
        try (Socket silent = new Socket("127.0.0.1", server.server().port());
                Socket noise = new Socket("127.0.0.1", server.server().port())) {
            silent.setSoTimeout(60_000);
            noise.setSoTimeout(60_000);
            noise.getOutputStream()
                    .write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            assertThat(endOf(silent)).isTrue();
            assertThat(endOf(noise)).isTrue();
        }
        othersAreServed();
    }

    /** The server closed, whatever it said before. */
    private static boolean endOf(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        try {
            in.readAllBytes();
            return true;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void refusesLargeHeadersAndLines() throws IOException {
        try (SSLSocket headers = connect("admin");
                SSLSocket line = connect("admin")) {
            send(headers, get("/livez", "X-Large: " + "x".repeat(9000) + "\r\n"));
            assertThat(readAll(headers)).startsWith("HTTP/1.1 431 ");
            send(line, get("/" + "x".repeat(20_000), ""));
            assertThat(readAll(line)).startsWith("HTTP/1.1 431 ");
        }
    }

    @Test
    void refusesLargeBodiesBeforeTheyCome() throws IOException {
        try (SSLSocket declared = connect("admin");
                SSLSocket chunked = connect("admin")) {
            String start = "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
            send(declared, start + "Content-Length: 999999999\r\n\r\n");
            send(chunked, start + "Transfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 9; i++) {
                send(chunked, "2000\r\n" + "x".repeat(0x2000) + "\r\n");
            }
            send(chunked, "0\r\n\r\n");
            assertThat(readAll(chunked)).startsWith("HTTP/1.1 413 ");
            byte[] begin = declared.getInputStream().readNBytes(13);
            assertThat(new String(begin, StandardCharsets.UTF_8)).isEqualTo("HTTP/1.1 413 ");
        }
    }

    @Test
    void survivesNoise() throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < 60; i++) {
            try (SSLSocket socket = connect(i % 2 == 0 ? "admin" : "")) {
                byte[] noise = new byte[1 + random.nextInt(2000)];
                random.nextBytes(noise);
                String text = get("/api/v1/namespaces", "A: b\r\n");
                byte[] mangled = text.getBytes(StandardCharsets.UTF_8);
                for (int j = 0; j < 3; j++) {
                    mangled[random.nextInt(mangled.length)] = (byte) random.nextInt(256);
                }
                socket.getOutputStream().write(i % 3 == 0 ? noise : mangled);
                socket.getOutputStream().flush();
            } catch (SocketException closedMeanwhile) {
                // The server may close before everything is written.
                assertThat(closedMeanwhile).isNotNull();
            }
        }
        othersAreServed();
    }

    @Test
    void refusesConnectionsBeyondItsLimit() throws IOException {
        List<Socket> idle = new ArrayList<>();
        othersAreServed();
        try {
            for (int i = 0; i < MAX_CONNECTIONS + 20; i++) {
                idle.add(new Socket("127.0.0.1", server.server().port()));
            }
            await().until(() -> admin.get("/metrics")
                    .body()
                    .contains("sluice_apiserver_connections{state=\"refused\"}"));
            othersAreServed();
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
        try (Caller another = server.as("admin", java.net.http.HttpClient.Version.HTTP_2)) {
            await().ignoreExceptions().until(() -> another.get("/livez").code() == 200);
        } catch (AssertionError e) {
            throw new AssertionError("closed connections still count", e);
        }
    }

    @Test
    void cutsWatchersThatDoNotReadAndServesTheRest() throws IOException {
        try (SSLSocket deaf = connect("admin")) {
            send(deaf, get("/api/v1/namespaces/default/configmaps?watch=1", ""));
            String value = "x".repeat(30_000);
            for (int i = 0; i < 60; i++) {
                String body = "{\"metadata\":{\"name\":\"big" + i + "\"},\"data\":{\"v\":\"" + value
                        + "\"}}";
                assertThat(admin.post("/api/v1/namespaces/default/configmaps", body)
                                .code())
                        .isEqualTo(201);
            }
            assertThat(admin.call("DELETE", "/api/v1/namespaces/default/configmaps", "")
                            .code())
                    .isEqualTo(200);
        }
        othersAreServed();
    }
}
