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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * One server for each {@code healthCheckNodePort}: tells load balancers how many ready endpoints this
 * node has. State, owned by the conductor's thread; the counts are read by the servers' threads.
 */
public final class ServiceHealthServers implements AutoCloseable {
    private final EventLoopGroup loop;
    private final BooleanSupplier proxyHealthy;
    private final Map<ServicePortName, ServicePortImage> ports = new HashMap<>();
    private final Map<NamespacedName, Server> servers = new HashMap<>();
    private final Set<NamespacedName> failed = new HashSet<>();
    private final BiConsumer<NamespacedName, String> onFailure;

    /** A running server and the count it tells. */
    private record Server(int port, HttpServer http, AtomicInteger count) {}

    /** @param onFailure learns once of each server that cannot be started: whose, and why */
    public ServiceHealthServers(
            EventLoopGroup loop,
            BooleanSupplier proxyHealthy,
            BiConsumer<NamespacedName, String> onFailure) {
        this.loop = loop;
        this.proxyHealthy = proxyHealthy;
        this.onFailure = onFailure;
    }

    /** Follows a delta that is in force. @return servers that could not be started; they are tried again at the next call */
    public List<String> apply(ProxyDelta delta) {
        boolean touched = !failed.isEmpty();
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
            if (check == null || check.port() != servers.get(service).port()) {
                servers.remove(service).http().close();
            }
        }
        failed.retainAll(wanted.keySet());
        wanted.forEach((service, check) -> {
            try {
                Server server = servers.get(service);
                if (server == null) {
                    server = start(service, check.port());
                    servers.put(service, server);
                    failed.remove(service);
                }
                server.count().set(check.localReady());
            } catch (IOException e) {
                String problem = "health check of Service " + service + ": " + e.getMessage();
                problems.add(problem + "; trying again at the next sync");
                if (failed.add(service)) {
                    onFailure.accept(service, problem);
                }
            }
        });
        return problems;
    }

    private Server start(NamespacedName service, int port) throws IOException {
        AtomicInteger count = new AtomicInteger();
        HttpServer http = new HttpServer(
                loop,
                new InetSocketAddress(port),
                (method, path, query) -> page(service, count.get()));
        return new Server(port, http, count);
    }

    private HttpReply page(NamespacedName service, int count) {
        boolean healthy = proxyHealthy.getAsBoolean();
        ObjectNode body = Json.object();
        body.putObject("service").put("namespace", service.namespace()).put("name", service.name());
        body.put("localEndpoints", count).put("serviceProxyHealthy", healthy);
        int code = count > 0 && healthy ? 200 : 503;
        return HttpReply.json(code, Json.pretty(body) + '\n')
                .with("X-Load-Balancing-Endpoint-Weight", String.valueOf(count));
    }

    @Override
    public void close() {
        servers.values().forEach(server -> server.http().close());
        servers.clear();
    }
}
