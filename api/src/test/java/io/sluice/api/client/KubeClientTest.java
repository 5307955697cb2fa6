package io.sluice.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.ScriptedServer.Answer;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Requests against a server that plays a script, over real sockets and TLS. */
class KubeClientTest {
    private static final TestPki PKI = new TestPki();

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // for machines with much else to do
    }

    private static final GroupVersionResource MAPS =
            new GroupVersionResource("", "v1", "configmaps");
    private static final NamespacedName NAME = new NamespacedName("d", "a");
    private static final String OBJECT = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"d\"}}";

    private ScriptedServer server;
    private KubeClient client;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer(PKI);
        client = KubeClient.of(server.config());
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private KubeClient client(ClientConfig config) {
        client.close();
        client = KubeClient.of(config);
        return client;
    }

    private ClientConfig with(ClientConfig.Credentials credentials) {
        ClientConfig c = server.config();
        return new ClientConfig(
                c.server(), c.caPem(), false, "", "", "", credentials, "test", c.requestTimeout());
    }

    @Test
    void asksInTheFormsOfTheApi() throws IOException {
        for (int i = 0; i < 7; i++) {
            server.then(200, OBJECT);
        }
        ObjectNode object = Json.parseObject(OBJECT);

        assertThat(client.get(MAPS, NAME)).isEqualTo(object);
        client.create(MAPS, object);
        client.update(MAPS, object, "");
        client.update(MAPS, object, "status");
        client.patch(MAPS, NAME, "", PatchType.MERGE, Json.object());
        client.delete(MAPS, NAME, Json.object().put("gracePeriodSeconds", 0));
        client.delete(
                new GroupVersionResource("", "v1", "nodes"),
                new NamespacedName("", "n 1/x"),
                Json.object());

        assertThat(server.requests.stream()
                        .map(r -> r.method()
                                + ' '
                                + r.uri()
                                + ' '
                                + r.contentType()
                                + ' '
                                + r.body()))
                .containsExactly(
                        "GET /api/v1/namespaces/d/configmaps/a  ",
                        "POST /api/v1/namespaces/d/configmaps application/json " + OBJECT,
                        "PUT /api/v1/namespaces/d/configmaps/a application/json " + OBJECT,
                        "PUT /api/v1/namespaces/d/configmaps/a/status application/json " + OBJECT,
                        "PATCH /api/v1/namespaces/d/configmaps/a application/merge-patch+json {}",
                        "DELETE /api/v1/namespaces/d/configmaps/a application/json {\"gracePeriodSeconds\":0}",
                        "DELETE /api/v1/nodes/n%201%2Fx  ");
        assertThat(server.openConnections()).isEqualTo(1);
    }

    @Test
    void listsAllPages() throws IOException {
        server.then(200, "{\"metadata\":{\"continue\":\"c&1\"},\"items\":[" + OBJECT + "]}")
                .then(200, "{\"metadata\":{},\"items\":[" + OBJECT + "," + OBJECT + "]}")
                .then(200, "{\"metadata\":{},\"items\":null}");

        assertThat(client.list(MAPS, new ListOptions("d", "a in (b)", "metadata.name!=x")))
                .hasSize(3);
        assertThat(client.list(MAPS, ListOptions.ALL)).isEmpty();

        String selectors =
                "?labelSelector=a%20in%20%28b%29&fieldSelector=metadata.name%21%3Dx&limit=500";
        assertThat(server.uris())
                .containsExactly(
                        "/api/v1/namespaces/d/configmaps" + selectors,
                        "/api/v1/namespaces/d/configmaps" + selectors + "&continue=c%261",
                        "/api/v1/configmaps?limit=500");
    }

    @Test
    void tellsRefusalsApart() {
        server.then(
                        404,
                        "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"configmaps \\\"a\\\" not found\"}")
                .then(409, "{\"reason\":\"AlreadyExists\",\"message\":\"m\"}")
                .then(409, "{\"reason\":\"Conflict\",\"message\":\"m\"}")
                .then(410, "{\"reason\":\"Expired\",\"message\":\"m\"}")
                .then(502, "<html>Bad gateway</html>")
                .then(302, "Location: /else\r\n", "");

        ApiStatusException missing = refusal();
        assertThat(missing.isNotFound()).isTrue();
        assertThat(missing.reason()).isEqualTo("NotFound");
        assertThat(missing)
                .hasMessage(
                        "GET /api/v1/namespaces/d/configmaps/a: 404 configmaps \"a\" not found");
        assertThat(refusal().isAlreadyExists()).isTrue();
        assertThat(refusal().isConflict()).isTrue();
        assertThat(refusal().isGone()).isTrue();
        assertThat(refusal()).hasMessageContaining("502 <html>Bad gateway");
        assertThat(refusal().code()).isEqualTo(302);
    }

    private ApiStatusException refusal() {
        return catchThrowableOfType(ApiStatusException.class, () -> client.get(MAPS, NAME));
    }

    @Test
    void waitsAsLongAsAskedAndTriesAgain() throws IOException {
        server.then(429, "Retry-After: 1\r\n", "{}")
                .then(503, "Retry-After: 1\r\n", "{}")
                .then(200, OBJECT);

        client.create(MAPS, Json.parseObject(OBJECT));

        assertThat(server.requests).hasSize(3);
    }

    @Test
    void doesNotTryAgainUnasked() {
        server.then(503, "{\"message\":\"down\"}").then(200, OBJECT);

        assertThat(refusal().code()).isEqualTo(503);
        assertThat(server.requests).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
                "\u0000\u0001\u0002 garbage\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}",
                "SSH-2.0-OpenSSH\r\n"
            })
    void namesTheProblemOfABrokenAnswer(String bytes) {
        server.then(new Answer(bytes, true)).then(new Answer(bytes, true));

        assertThatThrownBy(() -> client.get(MAPS, NAME))
                .isInstanceOf(IOException.class)
                .extracting(Throwable::getMessage)
                .asString()
                .isNotBlank();
    }

    @Test
    void boundsTheHead() {
        server.then(new Answer("HTTP/1.1 200 OK\r\nX: " + "a".repeat(200_000) + "\r\n\r\n", true));

        assertThatThrownBy(() -> client.get(MAPS, NAME)).isInstanceOf(IOException.class);
    }

    @Test
    void asksAnewWhenAnIdleConnectionTurnsOutDead() throws IOException {
        server.then(200, OBJECT).then(new Answer("", true)).then(200, OBJECT);
        client.get(MAPS, NAME);

        assertThat(client.get(MAPS, NAME)).isEqualTo(Json.parseObject(OBJECT));
        assertThat(server.requests).hasSize(3);
    }

    @Test
    void neverRepeatsAWriteByItself() throws IOException {
        server.then(200, OBJECT).then(new Answer("", true)).then(200, OBJECT);
        client.get(MAPS, NAME);

        assertThatThrownBy(() -> client.create(MAPS, Json.parseObject(OBJECT)))
                .isInstanceOf(IOException.class);
        assertThat(server.requests).hasSize(2);
    }

    @Test
    void leavesAConnectionTheServerWantsClosed() throws IOException {
        server.then(200, "Connection: close\r\n", OBJECT).then(200, OBJECT);
        client.get(MAPS, NAME);
        client.create(MAPS, Json.parseObject(OBJECT));

        assertThat(server.requests.get(0).channel())
                .isNotSameAs(server.requests.get(1).channel());
    }

    @Test
    void givesUpOnASilentServer() {
        ClientConfig c = server.config();
        KubeClient hasty = client(new ClientConfig(
                c.server(),
                c.caPem(),
                false,
                "",
                "",
                "",
                c.credentials(),
                "test",
                Duration.ofMillis(50)));

        assertThatThrownBy(() -> hasty.create(MAPS, Json.parseObject(OBJECT)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nothing arrived");
        await().until(() -> server.openConnections() == 0);
    }

    @Test
    void readsSlowly() throws IOException {
        String big = "{\"data\":\"" + "x".repeat(8_000_000) + "\"}";
        server.then(200, big);

        assertThat(client.get(MAPS, NAME).get("data").textValue()).hasSize(8_000_000);
    }

    @Test
    void asksForCredentialsEachTimeAndTellsOfTheirRefusal() {
        AtomicInteger given = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        client(with(new ClientConfig.Credentials() {
            @Override
            public Optional<String> authorization() {
                return Optional.of("Bearer " + given.incrementAndGet());
            }

            @Override
            public void rejected() {
                refused.incrementAndGet();
            }
        }));
        server.then(401, "{}").then(200, OBJECT);

        assertThat(refusal().code()).isEqualTo(401);
        assertThat(refused).hasValue(1);
        assertThat(refusal()).isNull();
        assertThat(server.requests.stream().map(ScriptedServer.Request::authorization))
                .containsExactly("Bearer 1", "Bearer 2");
    }

    @Test
    void neverShowsACredentialItCannotSend() {
        KubeClient wrong = client(with(() -> Optional.of("Bearer se\ncret")));

        assertThatThrownBy(() -> wrong.get(MAPS, NAME))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line break")
                .hasMessageNotContaining("cret\"");
    }

    @Test
    void showsItsCertificate() throws Exception {
        ClientConfig c = server.config();
        KubeClient known = client(new ClientConfig(
                c.server(),
                c.caPem(),
                false,
                "",
                PKI.client.certificatePem(),
                PKI.client.keyPem(),
                c.credentials(),
                "test",
                c.requestTimeout()));
        server.then(200, OBJECT);
        known.get(MAPS, NAME);

        var ssl = server.requests
                .getFirst()
                .channel()
                .pipeline()
                .get(io.netty.handler.ssl.SslHandler.class);
        assertThat(ssl.engine().getSession().getPeerPrincipal().getName()).isEqualTo("CN=client");
    }

    @Test
    void trustsOnlyItsAuthority() throws Exception {
        ClientConfig c = server.config();
        TestPki other = new TestPki();
        KubeClient wary = client(new ClientConfig(
                c.server(),
                other.authority.certificatePem(),
                false,
                "",
                "",
                "",
                c.credentials(),
                "test",
                c.requestTimeout()));
        assertThatThrownBy(() -> wary.get(MAPS, NAME))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot connect to " + server.uri());
        KubeClient defaults = client(new ClientConfig(
                c.server(), "", false, "", "", "", c.credentials(), "test", c.requestTimeout()));
        assertThatThrownBy(() -> defaults.get(MAPS, NAME)).isInstanceOf(IOException.class);
        assertThat(server.requests).isEmpty();
    }

    @Test
    void checksTheServersNameUnlessToldNotTo() throws Exception {
        ClientConfig c = server.config();
        server.then(200, OBJECT).then(200, OBJECT);
        KubeClient wrongName = client(new ClientConfig(
                c.server(),
                c.caPem(),
                false,
                "other.test",
                "",
                "",
                c.credentials(),
                "test",
                c.requestTimeout()));
        assertThatThrownBy(() -> wrongName.get(MAPS, NAME)).isInstanceOf(IOException.class);
        KubeClient otherName = client(new ClientConfig(
                c.server(),
                c.caPem(),
                false,
                "sluice.test",
                "",
                "",
                c.credentials(),
                "test",
                c.requestTimeout()));
        assertThat(otherName.get(MAPS, NAME)).isNotNull();
        KubeClient careless = client(new ClientConfig(
                c.server(), "", true, "", "", "", c.credentials(), "test", c.requestTimeout()));
        assertThat(careless.get(MAPS, NAME)).isNotNull();
    }

    @Test
    void saysWhereNobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        ClientConfig c = server.config();
        KubeClient lost = client(new ClientConfig(
                URI.create("https://127.0.0.1:" + port),
                c.caPem(),
                false,
                "",
                "",
                "",
                c.credentials(),
                "test",
                c.requestTimeout()));
        assertThatThrownBy(() -> lost.get(MAPS, NAME))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot connect to https://127.0.0.1:" + port);
    }

    @Test
    void keepsFewConnectionsForManyCallers() throws Exception {
        int calls = 300;
        for (int i = 0; i < calls; i++) {
            server.then(200, OBJECT);
        }
        List<Thread> threads = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < calls; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    client.get(MAPS, NAME);
                    done.incrementAndGet();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(done).hasValue(calls);
        assertThat(server.requests.stream()
                        .map(ScriptedServer.Request::channel)
                        .distinct()
                        .count())
                .isLessThan(calls);
        await().until(() -> server.openConnections() <= 8);
    }

    @Test
    void endsWaitingCallsWhenClosed() throws Exception {
        AtomicInteger failed = new AtomicInteger();
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                client.get(MAPS, NAME);
            } catch (IOException e) {
                failed.incrementAndGet();
            }
        });
        await().until(() -> !server.requests.isEmpty());
        client.close();
        client.close();
        waiting.join();

        assertThat(failed).hasValue(1);
        assertThatThrownBy(() -> client.get(MAPS, NAME))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void passesAnyRequestOn() throws IOException {
        ClientConfig c = server.config();
        KubeClient behind = client(new ClientConfig(
                URI.create(server.uri() + "/base/"),
                c.caPem(),
                false,
                "",
                "",
                "",
                c.credentials(),
                "test",
                c.requestTimeout()));
        server.then(500, "oops");

        KubeClient.Response response = behind.raw("GET", "/readyz?verbose", "", new byte[0]);

        assertThat(response.code()).isEqualTo(500);
        assertThat(new String(response.body(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("oops");
        assertThat(server.uris()).containsExactly("/base/readyz?verbose");
    }
}
