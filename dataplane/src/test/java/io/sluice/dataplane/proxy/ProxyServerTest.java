package io.sluice.dataplane.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;

import io.sluice.api.client.ListOptions;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;
import io.sluice.dataplane.Http;
import io.sluice.dataplane.TwinKubeClient;
import io.sluice.dataplane.cleanup.Cleanup;
import io.sluice.dataplane.config.ConfigException;
import io.sluice.dataplane.config.Features;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.config.ProxyOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The whole proxy in user space: an API server in memory, real sockets, real pages. */
class ProxyServerTest {
    private final TwinKubeClient client = new TwinKubeClient();
    private final List<HttpServer> backends = new ArrayList<>();
    private final List<ProxyServer> proxies = new ArrayList<>();
    private final int healthz = freePort();
    private final int metrics = freePort();
    private final int clusterPort = freePort();
    private final int nodePort = freePort();

    ProxyServerTest() throws IOException {}

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @AfterEach
    void close() {
        proxies.forEach(ProxyServer::close);
        backends.forEach(backend -> backend.stop(0));
        assertThat(client.watches()).isZero();
    }

    private ProxyConfig config(String... more) throws ConfigException {
        Map<String, String> flags = new LinkedHashMap<>();
        Stream.concat(
                        Stream.of(
                                "hostname-override=node-1",
                                "nodeport-addresses=127.0.0.0/8",
                                "healthz-bind-address=127.0.0.1:" + healthz,
                                "metrics-bind-address=127.0.0.1:" + metrics),
                        Stream.of(more))
                .map(word -> word.split("=", 2))
                .forEach(pair -> flags.put(pair[0], pair[1]));
        return ProxyOptions.resolve(flags, "", "machine", Features::none).config();
    }

    private ProxyServer start(ProxyConfig config) throws Exception {
        ProxyServer proxy = ProxyServer.start(
                config, client, List.of(), Cleanup.Scope.NOTHING, Clock.systemUTC(), "v0-test");
        proxies.add(proxy);
        assertThat(proxy.awaitFirstSync(Duration.ofSeconds(30))).isTrue();
        return proxy;
    }

    /** @return its port */
    private int backend(String answer) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        backends.add(server);
        return server.getAddress().getPort();
    }

    private void putNode(String taints) throws IOException {
        client.put("nodes", """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1", "uid": "u"},
                 "spec": {"taints": [%s]},
                 "status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}}
                """.formatted(taints));
    }

    private void putService(String spec) throws IOException {
        client.put("services", """
                {"apiVersion": "v1", "kind": "Service",
                 "metadata": {"name": "web", "namespace": "default", "uid": "u"},
                 "spec": {"type": "NodePort", "clusterIP": "127.0.0.1",
                  "clusterIPs": ["127.0.0.1"], "ipFamilies": ["IPv4"], %s
                  "ports": [{"name": "http", "port": %d, "protocol": "TCP", "nodePort": %d}]}}
                """.formatted(spec, clusterPort, nodePort));
    }

    private void putSlice(String name, int port, boolean ready) throws IOException {
        client.put("endpointslices", """
                {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
                 "metadata": {"name": "%s", "namespace": "default", "labels":
                  {"kubernetes.io/service-name": "web"}, "annotations":
                  {"endpoints.kubernetes.io/last-change-trigger-time": "%s"}},
                 "addressType": "IPv4",
                 "endpoints": [{"addresses": ["127.0.0.1"], "nodeName": "node-1",
                  "conditions": {"ready": %b, "serving": %b}}],
                 "ports": [{"name": "http", "port": %d, "protocol": "TCP"}]}
                """.formatted(
                        name, Clock.systemUTC().instant(), ready, ready, port));
    }

    private String page(String path) throws IOException {
        return Http.get(metrics, path).body();
    }

    @Test
    void shouldCarryTrafficToReadyEndpointsAndSayWhy() throws Exception {
        putNode("");
        putService("");
        putSlice("web-a", backend("A"), true);
        putSlice("web-b", backend("B"), false);
        start(config());

        assertThat(Http.get(nodePort, "/").body()).isEqualTo("A");
        assertThat(Http.get(clusterPort, "/").body()).isEqualTo("A");
        assertThat(page("/debug/explain?format=text&target=127.0.0.1:" + nodePort))
                .contains(
                        "default/web",
                        "forward to 127.0.0.1:" + backends.get(0).getAddress().getPort(),
                        "left out: 127.0.0.1:" + backends.get(1).getAddress().getPort());

        putSlice("web-b", backends.get(1).getAddress().getPort(), true);
        putSlice("web-a", backends.get(0).getAddress().getPort(), false);
        await().until(() -> Http.get(nodePort, "/").body().equals("B"));

        client.delete("endpointslices", new NamespacedName("default", "web-b"));
        await().untilAsserted(() ->
                assertThatThrownBy(() -> Http.get(nodePort, "/")).isInstanceOf(IOException.class));
    }

    @Test
    void shouldServeEveryPage() throws Exception {
        putNode("");
        putService("");
        start(config());
        putSlice("web-a", backend("A"), true);
        await().ignoreExceptions().until(() -> Http.get(nodePort, "/").body().equals("A"));

        assertThat(Http.get(healthz, "/healthz").statusCode()).isEqualTo(200);
        assertThat(Http.get(healthz, "/livez").statusCode()).isEqualTo(200);
        assertThat(page("/healthz")).isEqualTo("ok");
        assertThat(page("/proxyMode")).isEqualTo("userspace");
        assertThat(Json.parseObject(page("/configz"))
                        .path("kubeproxy.config.k8s.io")
                        .path("hostnameOverride")
                        .asText())
                .isEqualTo("node-1");
        assertThat(Http.get(metrics, "/nothing").statusCode()).isEqualTo(404);
        assertThat(Http.get(metrics, "/debug/nothing").statusCode()).isEqualTo(404);
        assertThat(Http.get(metrics, "/debug/explain?target=nonsense").statusCode())
                .isEqualTo(400);
        var status = Json.parseObject(page("/debug/status"));
        assertThat(status.path("services").asInt()).isEqualTo(1);
        assertThat(status.path("mode").asText()).isEqualTo("userspace");
        assertThat(status.path("problems")).isEmpty();
        assertThat(Json.parseObject(page("/debug/image"))
                        .path("servicePorts")
                        .path(0)
                        .path("clusterEndpoints")
                        .path(0)
                        .asText())
                .isEqualTo("127.0.0.1:" + backends.getFirst().getAddress().getPort());
        String labels = "{ip_family=\"IPv4\",namespace=\"default\",port=\"http\","
                + "protocol=\"TCP\",service=\"web\"}";
        assertThat(page("/metrics"))
                .contains("sluice_service_connections_total" + labels + " 1.0")
                .contains("sluice_service_received_bytes_total" + labels)
                .contains("sluice_service_open_connections" + labels)
                .contains("kubeproxy_proxy_healthz_total{code=\"200\"} 1.0")
                .contains("kubeproxy_network_programming_duration_seconds_count"
                        + "{ip_family=\"IPv4\"} 1\n");
    }

    @Test
    void shouldAskTheApiServerForWhatConcernsIt() throws Exception {
        start(config());

        assertThat(client.optionsOf("nodes"))
                .isEqualTo(new ListOptions("", "", "metadata.name=node-1"));
        assertThat(client.optionsOf("services"))
                .isEqualTo(new ListOptions(
                        "", "!service.kubernetes.io/service-proxy-name", "spec.clusterIP!=None"));
        assertThat(client.optionsOf("endpointslices"))
                .isEqualTo(new ListOptions("", "!service.kubernetes.io/headless", ""));
        await().untilAsserted(() -> assertThat(client.created())
                .extracting(event -> event.path("reason").asText())
                .containsExactly("Starting"));
    }

    @Test
    void shouldSendLoadBalancersAwayFromItsNode() throws Exception {
        start(config());
        assertThat(Http.get(healthz, "/healthz").statusCode()).isEqualTo(503); // unknown yet
        assertThat(Http.get(healthz, "/livez").statusCode()).isEqualTo(200);
        putNode("");
        assertThat(Http.get(healthz, "/healthz").statusCode()).isEqualTo(200);
        putNode("{\"key\": \"ToBeDeletedByClusterAutoscaler\", \"effect\": \"NoSchedule\"}");
        assertThat(Http.get(healthz, "/healthz").statusCode()).isEqualTo(503);
        client.delete("nodes", new NamespacedName("", "node-1"));
        assertThat(Http.get(healthz, "/healthz").statusCode()).isEqualTo(503);
    }

    @Test
    void shouldLeaveExternalIpsOutWhereTheGateSaysSo() throws Exception {
        putService("\"externalIPs\": [\"127.0.0.7\"],");
        start(config("feature-gates=AllowServiceExternalIPs=false"));

        var port = Json.parseObject(page("/debug/image")).path("servicePorts").path(0);
        assertThat(port.path("service").asText()).isEqualTo("web");
        assertThat(port.has("externalIPs")).isFalse();
    }

    @Test
    void shouldSayWhatIsNotInPlaceAndPlaceItLater() throws Exception {
        putNode("");
        putService("");
        putSlice("web-a", backend("A"), true);
        try (ServerSocket holder =
                new ServerSocket(nodePort, 1, InetAddress.getLoopbackAddress())) {
            start(config());
            assertThat(Json.parseObject(page("/debug/status")).path("problems").toString())
                    .contains("default/web", String.valueOf(holder.getLocalPort()));
            assertThat(page("/metrics")).contains("sluice_objects_not_in_place 1.0");
            assertThat(Http.get(clusterPort, "/").body()).isEqualTo("A");
        }

        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> Http.get(nodePort, "/").body().equals("A"));
    }

    @Test
    void shouldEndWhereAPageCannotBeServedAndThatIsAskedFor() throws Exception {
        try (ServerSocket holder = new ServerSocket(healthz, 1, InetAddress.getLoopbackAddress())) {
            ProxyConfig strict = config("bind-address-hard-fail=true");
            assertThatThrownBy(() -> start(strict))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("healthz server: cannot listen on")
                    .hasMessageContaining(String.valueOf(holder.getLocalPort()));
            assertThat(client.created())
                    .extracting(event -> event.path("reason").asText())
                    .containsExactly("Starting", "FailedToStartProxierHealthcheck");
        }
    }

    @Test
    void shouldServeAPageLaterWhereItsPortIsTaken() throws Exception {
        try (ServerSocket holder = new ServerSocket(metrics, 1, InetAddress.getLoopbackAddress())) {
            start(config());
            assertThat(holder.isBound()).isTrue();
        }

        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> page("/healthz").equals("ok"));
    }

    @Test
    void shouldDrainBeforeItEnds() throws Exception {
        putService("");
        putSlice("web-a", backend("A"), true);
        ProxyServer proxy = start(config());
        assertThat(Http.get(nodePort, "/").body()).isEqualTo("A");

        proxy.shutdown(Duration.ofSeconds(10));

        assertThatThrownBy(() -> Http.get(nodePort, "/")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Http.get(metrics, "/healthz")).isInstanceOf(IOException.class);
    }
}
