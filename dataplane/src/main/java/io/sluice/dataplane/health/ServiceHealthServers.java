package io.sluice.dataplane.health;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.netty.channel.EventLoopGroup;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;
import io.sluice.dataplane.http.HttpReply;
import io.sluice.dataplane.http.HttpServer;
import io.sluice.endpoints.HealthCounts;
import io.sluice.endpoints.HealthCounts.HealthCheck;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * One server for each {@code healthCheckNodePort}: tells load balancers how many ready endpoints this node has. State, owned by the
 * conductor's thread; the counts are read by the servers' threads.
 */
public final class ServiceHealthServers implements AutoCloseable {
    private final EventLoopGroup loop;
    private final BooleanSupplier proxyHealthy;
    private final Map<ServicePortName, ServicePortImage> ports = new HashMap<>();
    private final Map<NamespacedName, Server> servers = new HashMap<>();
    private boolean incomplete;

    /** A running server and its count. */
    private static final class Server {
        private final int port;
        private final HttpServer http;
        private volatile int count;

        Server(int port, HttpServer http) {
            this.port = port;
            this.http = http;
        }
    }

    public ServiceHealthServers(EventLoopGroup loop, BooleanSupplier proxyHealthy) {
        this.loop = loop;
        this.proxyHealthy = proxyHealthy;
    }

    /** Follows a delta that is in force. @return servers that could not be started; they are tried again at the next call */
    public List<String> apply(ProxyDelta delta) {
        boolean touched = incomplete;
        for (ProxyDelta.Change change : delta.changes()) {
            boolean before = change.before()
                    .filter(port -> port.healthCheckNodePort() != 0)
                    .isPresent();
            boolean after = change.after()
                    .filter(port -> port.healthCheckNodePort() != 0)
                    .isPresent();
            if (after) {
                ports.put(change.name(), change.after().get());
            } else if (before) {
                ports.remove(change.name());
            }
            touched |= before || after;
        }
        return touched ? reconcile(HealthCounts.of(ports.values())) : List.of();
    }

    private List<String> reconcile(Map<NamespacedName, HealthCheck> wanted) {
        List<String> problems = new ArrayList<>();
        for (NamespacedName service : Set.copyOf(servers.keySet())) {
            HealthCheck check = wanted.get(service);
            if (check == null || check.port() != servers.get(service).port) {
                servers.remove(service).http.close();
            }
        }
        wanted.forEach((service, check) -> {
            Server server = servers.get(service);
            if (server == null) {
                try {
                    server = start(service, check.port());
                    servers.put(service, server);
                } catch (IOException e) {
                    problems.add("health check of Service " + service + ": " + e.getMessage()
                            + "; trying again at the next sync");
                    return;
                }
            }
            server.count = check.localReady();
        });
        incomplete = !problems.isEmpty();
        return problems;
    }

    private Server start(NamespacedName service, int port) throws IOException {
        Server[] self = new Server[1];
        HttpServer http = new HttpServer(
                loop, new InetSocketAddress(port), (method, path, query) -> page(service, self[0]));
        self[0] = new Server(port, http);
        return self[0];
    }

    private HttpReply page(NamespacedName service, Server server) {
        int count = server == null ? 0 : server.count;
        boolean healthy = proxyHealthy.getAsBoolean();
        ObjectNode body = Json.object();
        body.putObject("service").put("namespace", service.namespace()).put("name", service.name());
        body.put("localEndpoints", count).put("serviceProxyHealthy", healthy);
        int code = count > 0 && healthy ? 200 : 503;
        return HttpReply.json(code, Json.pretty(body).replace("  ", "\t") + '\n')
                .with("X-Load-Balancing-Endpoint-Weight", String.valueOf(count));
    }

    @Override
    public void close() {
        servers.values().forEach(server -> server.http.close());
        servers.clear();
    }
}
