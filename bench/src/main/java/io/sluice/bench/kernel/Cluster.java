package io.sluice.bench.kernel;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;
import io.sluice.api.client.PatchType;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** An API server in a process of its own, and the objects in it. */
final class Cluster implements AutoCloseable {
    private static final GroupVersionResource SERVICES =
            new GroupVersionResource("", "v1", "services");
    private static final GroupVersionResource SLICES =
            new GroupVersionResource("discovery.k8s.io", "v1", "endpointslices");
    private static final GroupVersionResource NODES = new GroupVersionResource("", "v1", "nodes");
    private static final int WRITERS = 4;

    private final Program server;
    private final KubeClient client;
    private final Path dir;

    Cluster(Path dir) throws IOException {
        this.dir = dir;
        server = Program.start(
                dir.resolve("apiserver.log"),
                List.of(
                        "apiserver",
                        "--data-dir",
                        dir.toString(),
                        "--bind",
                        "127.0.0.1",
                        "--port",
                        "0",
                        "--service-cidr",
                        "10.64.0.0/15"));
        server.firstLine();
        client = KubeClient.of(KubeConfig.load(kubeconfig(), Clock.systemUTC()));
    }

    Path kubeconfig() {
        return dir.resolve("admin.kubeconfig");
    }

    void addNode(String name, String address) throws IOException {
        ObjectNode node = Json.object().put("apiVersion", "v1").put("kind", "Node");
        node.putObject("metadata").put("name", name);
        node.putObject("status")
                .putArray("addresses")
                .addObject()
                .put("type", "InternalIP")
                .put("address", address);
        client.create(NODES, node);
    }

    void load(Size size) throws Exception {
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int first = writer;
                all.add(writers.submit(() -> {
                    for (int i = first; i < size.services(); i += WRITERS) {
                        service("s" + i);
                        ObjectNode slice = slice("s" + i, 8080);
                        for (int n = 0; n < size.endpoints(); n++) {
                            add(slice, size.endpoint(i, n).toString(), true);
                        }
                        client.create(SLICES, slice);
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    /** @return its cluster IP */
    String service(String name) throws IOException {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "Service");
        out.putObject("metadata").put("name", name).put("namespace", "default");
        out.putObject("spec").putArray("ports").addObject().put("name", "http").put("port", 80);
        return client.create(SERVICES, out).at("/spec/clusterIP").asText();
    }

    /** One ready endpoint. */
    void endpoint(String service, String address, int port) throws IOException {
        ObjectNode slice = slice(service, port);
        add(slice, address, true);
        client.create(SLICES, slice);
    }

    /** Two endpoints; the first is ready. */
    void pair(String service, String first, String second, int port) throws IOException {
        ObjectNode slice = slice(service, port);
        add(slice, first, true);
        add(slice, second, false);
        client.create(SLICES, slice);
    }

    /** Makes one of the pair ready and the other not, in one write. */
    void turn(String service, int ready) throws IOException {
        var patch = Json.MAPPER.createArrayNode();
        for (int i = 0; i < 2; i++) {
            patch.addObject()
                    .put("op", "replace")
                    .put("path", "/endpoints/" + i + "/conditions/ready")
                    .put("value", i == ready);
        }
        client.patch(
                SLICES, new NamespacedName("default", service + "-1"), "", PatchType.JSON, patch);
    }

    private static ObjectNode slice(String service, int port) {
        ObjectNode out =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        out.putObject("metadata")
                .put("name", service + "-1")
                .put("namespace", "default")
                .putObject("labels")
                .put("kubernetes.io/service-name", service);
        out.put("addressType", "IPv4");
        out.putArray("ports")
                .addObject()
                .put("name", "http")
                .put("port", port)
                .put("protocol", "TCP");
        out.putArray("endpoints");
        return out;
    }

    private static void add(ObjectNode slice, String address, boolean ready) {
        ObjectNode endpoint = slice.withArray("endpoints").addObject();
        endpoint.putArray("addresses").add(address);
        endpoint.putObject("conditions").put("ready", ready);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
