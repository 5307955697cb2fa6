package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.sluice.api.client.KubeClient;
import io.sluice.api.client.PatchType;
import io.sluice.api.meta.NamespacedName;
import io.sluice.cli.lab.HostileProxy;
import io.sluice.cli.lab.HostileProxy.Mood;
import io.sluice.cli.lab.LocalBlock;
import io.sluice.cli.lab.NamedServer;
import io.sluice.cli.lab.Objects;
import io.sluice.cli.lab.SluiceProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.SSLContext;

/**
 * {@code sluice proxy} against an API server behind a reverse proxy that cuts, refuses, lies and stays silent: it converges each time,
 * never ends, and says what happened. Needs root.
 */
class ChaosIT {
    private static final String BLUE = "198.51.100.11";
    private static final String GREEN = "198.51.100.12";

    @TempDir
    Path temp;

    @Test
    void proxyConvergesAfterEveryKindOfTrouble() throws Exception {
        Path data = temp.resolve("data");
        int apiPort = SluiceProcess.freePort();
        try (LocalBlock block = new LocalBlock(BLUE, GREEN);
                SluiceProcess api = SluiceProcess.up(
                        data, apiPort, SluiceProcess.freePort(), "--without", "proxy,controllers");
                KubeClient client = SluiceProcess.client(data);
                NamedServer blue = new NamedServer("blue", InetAddress.getByName(BLUE), 0);
                NamedServer green = new NamedServer("green", InetAddress.getByName(GREEN), 0);
                HostileProxy between = new HostileProxy(trusting(), apiPort);
                SluiceProcess proxy = startProxy(client, between)) {
            ObjectNode service =
                    client.create(Objects.SERVICES, Objects.service("web", "NodePort", "TCP", 80));
            client.create(
                    Objects.SLICES,
                    Objects.slice("web-blue", "web", "TCP", BLUE, blue.port(), true));
            client.create(
                    Objects.SLICES,
                    Objects.slice("web-green", "web", "TCP", GREEN, green.port(), false));
            int nodePort = service.at("/spec/ports/0/nodePort").asInt();
            awaitName(nodePort, "blue");
            String ready = "blue";
            for (Mood mood : Mood.values()) {
                String next = ready.equals("blue") ? "green" : "blue";
                between.mood(mood);
                setReady(client, "web-" + next, true);
                setReady(client, "web-" + ready, false);
                if (mood != Mood.HONEST && mood != Mood.SILENT) {
                    await().atMost(Duration.ofSeconds(30)).until(() -> between.spoiled() >= 3);
                    // With what it last knew, the proxy goes on serving.
                    assertThat(nameAt(nodePort)).as("during %s", mood).isIn("blue", "green");
                }
                between.mood(Mood.HONEST);
                awaitName(nodePort, next);
                assertThat(proxy.isAlive()).as("after %s", mood).isTrue();
                ready = next;
            }
            assertThat(proxy.log())
                    .contains("watch of endpointslices.discovery.k8s.io")
                    .contains("trying again in")
                    .contains("410")
                    .contains("429")
                    .contains("500");
            assertThat(proxy.terminate()).isZero();
            assertThat(api.isAlive()).isTrue();
            assertThat(block).isNotNull();
        }
    }

    /** The reverse proxy is this test's own; whom it talks to is on loopback. */
    private static SSLContext trusting() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        return context;
    }

    /** With a token, since TLS ends at the reverse proxy and with it the client certificate. */
    private SluiceProcess startProxy(KubeClient client, HostileProxy between) throws IOException {
        ObjectNode account = io.sluice.api.object.Json.object()
                .put("apiVersion", "v1")
                .put("kind", "ServiceAccount");
        account.putObject("metadata").put("name", "kube-proxy").put("namespace", "kube-system");
        client.create(
                new io.sluice.api.meta.GroupVersionResource("", "v1", "serviceaccounts"), account);
        KubeClient.Response answer = client.raw(
                "POST",
                "/api/v1/namespaces/kube-system/serviceaccounts/kube-proxy/token",
                "application/json",
                "{\"kind\":\"TokenRequest\",\"apiVersion\":\"authentication.k8s.io/v1\",\"spec\":{}}"
                        .getBytes());
        assertThat(answer.code()).as(new String(answer.body())).isEqualTo(201);
        String token = io.sluice.api.object.Json.parseObject(answer.body())
                .at("/status/token")
                .asText();
        assertThat(Base64.getUrlDecoder().decode(token.split("\\.")[1])).isNotEmpty();
        Path kubeconfig = temp.resolve("proxy.kubeconfig");
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: "%s"}}]
                """.formatted(between.port(), token));
        return SluiceProcess.start(
                temp.resolve("proxy.log"),
                false,
                List.of(
                        "proxy",
                        "--kubeconfig",
                        kubeconfig.toString(),
                        "--proxy-mode",
                        "userspace",
                        "--healthz-bind-address",
                        "127.0.0.1:" + SluiceProcess.freePort(),
                        "--metrics-bind-address",
                        "127.0.0.1:" + SluiceProcess.freePort()));
    }

    private static void setReady(KubeClient client, String slice, boolean ready)
            throws IOException {
        client.patch(
                Objects.SLICES,
                new NamespacedName("default", slice),
                "",
                PatchType.JSON,
                Objects.readiness(ready));
    }

    private static String nameAt(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
            socket.setSoTimeout(5_000);
            StringBuilder out = new StringBuilder();
            for (int c = socket.getInputStream().read();
                    c >= 0 && c != '\n';
                    c = socket.getInputStream().read()) {
                out.append((char) c);
            }
            return out.toString();
        }
    }

    private static void awaitName(int port, String name) {
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> nameAt(port).equals(name));
    }
}
