package io.sluice.dataplane.health;

import static io.sluice.dataplane.Objects.endpoint;
import static io.sluice.dataplane.Objects.service;
import static io.sluice.dataplane.Objects.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceType;
import io.sluice.api.object.Json;
import io.sluice.dataplane.Http;
import io.sluice.dataplane.Objects;
import io.sluice.dataplane.http.HttpServer;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Health-check node ports over HTTP, led by real deltas. */
class ServiceHealthServersTest {
    private final EventLoopGroup loop = HttpServer.newLoop();
    private final List<NamespacedName> failures = new ArrayList<>();
    private final ServiceTracker tracker =
            new ServiceTracker(new NodeView(Objects.NODE, "", List.of()));
    private final int port = freePort();
    private boolean proxyHealthy = true;
    private final ServiceHealthServers servers = new ServiceHealthServers(
            loop, () -> proxyHealthy, (service, problem) -> failures.add(service));

    ServiceHealthServersTest() throws IOException {}

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @AfterEach
    void close() {
        servers.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static Service balanced(int port) {
        return service(1, ServiceType.LOAD_BALANCER, 30_001, true, port);
    }

    private List<String> sync() {
        return servers.apply(tracker.checkOut().delta());
    }

    private void expect(int status, int count) throws IOException {
        HttpResponse<String> response = Http.get(port, "/any/path");
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("X-Load-Balancing-Endpoint-Weight"))
                .contains(String.valueOf(count));
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        assertThat(Json.parseObject(response.body()))
                .isEqualTo(Json.parseObject("""
                {"service": {"namespace": "default", "name": "s1"}, "localEndpoints": %d,
                 "serviceProxyHealthy": %b}
                """.formatted(count, proxyHealthy)));
    }

    @Test
    void shouldCountReadyEndpointsOfThisNode() throws IOException {
        tracker.onService(balanced(port));
        assertThat(sync()).isEmpty();
        expect(503, 0);

        tracker.onSlice(slice(
                1,
                0,
                List.of(
                        endpoint("10.1.0.1", true, Objects.NODE),
                        endpoint("10.1.0.2", true, Objects.NODE),
                        endpoint("10.1.0.3", false, Objects.NODE),
                        endpoint("10.1.0.4", true, "other")),
                8080));
        sync();
        expect(200, 2);

        proxyHealthy = false;
        expect(503, 2);
        proxyHealthy = true;

        tracker.onSlice(slice(1, 0, List.of(endpoint("10.1.0.4", true, "other")), 8080));
        sync();
        expect(503, 0);
    }

    @Test
    void shouldFollowItsPortAndGoWithItsService() throws IOException {
        tracker.onService(balanced(freePort()));
        sync();
        tracker.onService(balanced(port));
        sync();
        expect(503, 0);

        tracker.onServiceDeleted(Objects.name(1));
        sync();

        assertThatThrownBy(() -> Http.get(port, "/")).isInstanceOf(IOException.class);
    }

    @Test
    void shouldTryAgainWhereThePortIsTaken() throws IOException {
        try (ServerSocket holder = new ServerSocket(port, 1, InetAddress.ofLiteral("0.0.0.0"))) {
            tracker.onService(balanced(port));
            List<String> problems = sync();
            assertThat(problems)
                    .singleElement()
                    .asString()
                    .contains(
                            "health check of Service default/s1: cannot listen on",
                            String.valueOf(holder.getLocalPort()),
                            "trying again at the next sync");
            assertThat(sync()).isEqualTo(problems);
            assertThat(failures).containsExactly(Objects.name(1)); // told once
        }

        assertThat(sync()).isEmpty();
        expect(503, 0);
        assertThat(sync()).isEmpty();
    }

    @Test
    void shouldHaveNoServerWithoutAPort() throws IOException {
        tracker.onService(service(1, ServiceType.NODE_PORT, 30_001, true, port));
        sync();

        assertThatThrownBy(() -> Http.get(port, "/")).isInstanceOf(IOException.class);
    }
}
