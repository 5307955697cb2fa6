package io.sluice.dataplane.health;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.netty.channel.EventLoopGroup;
import io.sluice.api.model.Node;
import io.sluice.api.object.Json;
import io.sluice.dataplane.Http;
import io.sluice.dataplane.ManualClock;
import io.sluice.dataplane.http.HttpServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** /healthz and /livez over HTTP, with a clock that stands still. */
class HealthPagesTest {
    private static final String START = "2026-12-01T10:00:00.123456789Z";

    private final ManualClock clock = new ManualClock();
    private final ProxyHealth health = new ProxyHealth(clock, Duration.ofSeconds(60));
    private final List<String> counted = new ArrayList<>();
    private final EventLoopGroup loop = HttpServer.newLoop();
    private final HttpServer server;

    HealthPagesTest() throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HealthPages pages = new HealthPages(health, (page, code) -> counted.add(page + code));
        server = new HttpServer(loop, address, pages);
        health.onNode(Optional.of(node(false)));
    }

    @AfterEach
    void close() {
        server.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static Node node(boolean deleting, String... taints) {
        return new Node("node-1", "uid", "", List.of(), List.of(), List.of(taints), deleting);
    }

    private ObjectNode page(String path, int status) throws IOException {
        HttpResponse<String> response = Http.get(server.port(), path);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        assertThat(response.headers().firstValue("x-content-type-options")).contains("nosniff");
        return Json.parseObject(response.body());
    }

    @Test
    void shouldTellAllThatKubeProxyTells() throws IOException {
        assertThat(page("/healthz", 200)).isEqualTo(Json.parseObject("""
                {"lastUpdated": "%1$s", "currentTime": "%1$s", "nodeEligible": true,
                 "healthy": true, "status": {
                   "IPv4": {"lastUpdated": "%1$s", "healthy": true},
                   "IPv6": {"lastUpdated": "%1$s", "healthy": true}}}
                """.formatted(START)));
        assertThat(page("/livez", 200).has("nodeEligible")).isFalse();
        assertThat(Http.send("POST", server.port(), "/livez").statusCode()).isEqualTo(200);
        assertThat(Http.get(server.port(), "/other").statusCode()).isEqualTo(404);
        assertThat(counted).containsExactly("healthz200", "livez200", "livez200");
    }

    @Test
    void shouldBeUnhealthyWhenTheOldestChangeWaitsTooLong() throws IOException {
        health.onQueued();
        clock.advance(Duration.ofSeconds(59));
        health.onQueued(); // a younger change does not make the oldest younger
        assertThat(page("/livez", 200).path("healthy").asBoolean()).isTrue();
        clock.advance(Duration.ofSeconds(1));

        ObjectNode body = page("/healthz", 503);
        assertThat(body.path("healthy").asBoolean()).isFalse();
        assertThat(body.path("lastUpdated").asText()).isEqualTo(START);
        assertThat(body.path("currentTime").asText()).isEqualTo("2026-12-01T10:01:00.123456789Z");
        page("/livez", 503);

        health.onUpdated();
        assertThat(page("/healthz", 200).path("lastUpdated").asText())
                .isEqualTo("2026-12-01T10:01:00.123456789Z");
    }

    @Test
    void shouldSendLoadBalancersAwayFromANodeThatGoes() throws IOException {
        for (Optional<Node> going : List.of(
                Optional.<Node>empty(),
                Optional.of(node(true)),
                Optional.of(node(false, "ToBeDeletedByClusterAutoscaler")))) {
            health.onNode(going);
            ObjectNode body = page("/healthz", 503);
            assertThat(body.path("nodeEligible").asBoolean()).isFalse();
            assertThat(body.path("healthy").asBoolean()).isTrue();
            page("/livez", 200);
        }
        health.onNode(Optional.of(node(false, "some-other-taint")));
        page("/healthz", 200);
    }
}
