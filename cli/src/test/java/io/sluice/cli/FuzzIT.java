package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;
import io.sluice.api.object.Yaml;
import io.sluice.cli.lab.Objects;
import io.sluice.cli.lab.SluiceProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Mangled requests and objects against a real {@code up}: never a fault of the server, always a Status, and a client that behaves does not
 * notice. {@code -Dfuzz.requests=N} for more, {@code -Dfuzz.seed=N} to run one again.
 */
class FuzzIT {
    private static final int REQUESTS = Integer.getInteger("fuzz.requests", 6_000);
    private static final long SEED = Long.getLong("fuzz.seed", 20_261_201L);
    private static final int CLIENTS = 4;
    private static final List<String> METHODS =
            List.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW");
    private static final List<String> TYPES = List.of(
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/apply-patch+yaml",
            "text/plain",
            "");
    private static final List<String> PATHS = List.of(
            "/api/v1/namespaces/fuzz/configmaps",
            "/api/v1/namespaces/fuzz/configmaps/a",
            "/api/v1/namespaces/fuzz/services",
            "/api/v1/namespaces/fuzz/services/a",
            "/api/v1/namespaces/fuzz/services/a/status",
            "/api/v1/namespaces/fuzz/pods",
            "/api/v1/namespaces/fuzz/pods/a",
            "/api/v1/namespaces/fuzz/secrets",
            "/api/v1/namespaces/fuzz/events",
            "/api/v1/nodes",
            "/api/v1/nodes/a/status",
            "/api/v1/namespaces/fuzz/serviceaccounts/a/token",
            "/apis/discovery.k8s.io/v1/namespaces/fuzz/endpointslices",
            "/apis/discovery.k8s.io/v1/namespaces/fuzz/endpointslices/a",
            "/apis/coordination.k8s.io/v1/namespaces/fuzz/leases",
            "/apis/events.k8s.io/v1/namespaces/fuzz/events",
            "/api/v1/namespaces/%2e%2e/configmaps",
            "/api/v1/namespaces/fuzz/configmaps/%00",
            "/apis/nothing.example/v1/things",
            "/openapi/v3/nothing",
            "/%ff%fe");
    private static final List<String> QUERIES = List.of(
            "",
            "",
            "?limit=-1",
            "?limit=1&continue=garbage",
            "?resourceVersion=abc",
            "?resourceVersion=99999999999999999999",
            "?resourceVersionMatch=Exact",
            "?labelSelector=a%20in",
            "?fieldSelector=metadata.name%3D%5C",
            "?watch=1&timeoutSeconds=1&resourceVersion=1",
            "?watch=true&sendInitialEvents=true&timeoutSeconds=1",
            "?dryRun=Some",
            "?dryRun=All",
            "?fieldValidation=Strict",
            "?fieldValidation=Nonsense",
            "?propagationPolicy=Nonsense&gracePeriodSeconds=-5",
            "?pretty=%00%ff");

    @TempDir
    Path temp;

    private final AtomicInteger answered = new AtomicInteger();

    @Test
    void nonsenseIsRefusedAndHurtsNobody() throws Exception {
        Path data = temp.resolve("data");
        try (SluiceProcess up = SluiceProcess.up(
                        data, 0, SluiceProcess.freePort(), "--without", "proxy,controllers");
                KubeClient good = SluiceProcess.client(data)) {
            ObjectNode namespace = Json.object().put("apiVersion", "v1").put("kind", "Namespace");
            namespace.putObject("metadata").put("name", "fuzz");
            good.create(
                    new io.sluice.api.meta.GroupVersionResource("", "v1", "namespaces"), namespace);
            long descriptors = descriptors(up.pid());
            AtomicBoolean done = new AtomicBoolean();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                Future<?> behaving = threads.submit(() -> {
                    behave(good, done);
                    return null;
                });
                List<Future<?>> storm = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    long seed = SEED + i;
                    storm.add(threads.submit(() -> {
                        storm(data, seed);
                        return null;
                    }));
                }
                for (Future<?> one : storm) {
                    one.get();
                }
                done.set(true);
                behaving.get();
            }
            assertThat(up.isAlive()).isTrue();
            assertThat(answered.get()).isGreaterThan(REQUESTS * 9 / 10);
            assertThat(up.log())
                    .doesNotContain("OutOfMemoryError")
                    .doesNotContain("StackOverflowError");
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(descriptors(up.pid())).isLessThan(descriptors + 40));
        }
    }

    private static long descriptors(long pid) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return open.count();
        }
    }

    /** What a well-behaved client does meanwhile must always work. */
    private static void behave(KubeClient client, AtomicBoolean done) throws IOException {
        for (int i = 0; !done.get(); i++) {
            String name = "good-" + i % 50;
            NamespacedName id = new NamespacedName("default", name);
            client.create(Objects.CONFIG_MAPS, Objects.configMap(name, "k", String.valueOf(i)));
            assertThat(client.get(Objects.CONFIG_MAPS, id).at("/data/k").asText())
                    .isEqualTo(String.valueOf(i));
            client.delete(Objects.CONFIG_MAPS, id, Json.object());
        }
    }

    private void storm(Path data, long seed) throws IOException {
        Random random = new Random(seed);
        try (KubeClient client = SluiceProcess.client(data)) {
            for (int i = 0; i < REQUESTS / CLIENTS; i++) {
                one(client, random, "seed " + seed + " request " + i);
            }
        }
    }

    private void one(KubeClient client, Random random, String where) {
        String method = pick(random, METHODS);
        String path = pick(random, PATHS) + pick(random, QUERIES);
        String type = pick(random, TYPES);
        byte[] body = method.equals("GET") ? new byte[0] : body(random, type);
        KubeClient.Response answer;
        try {
            answer = client.raw(method, path, type.isEmpty() ? "application/json" : type, body);
        } catch (IOException e) {
            return; // a connection the server may close after a request it cannot frame
        }
        answered.incrementAndGet();
        String what = where + ": " + method + ' ' + path + ' ' + type + ' '
                + new String(body, 0, Math.min(body.length, 300), StandardCharsets.UTF_8)
                + " answered "
                + answer.code() + ' '
                + new String(
                        answer.body(),
                        0,
                        Math.min(answer.body().length, 300),
                        StandardCharsets.UTF_8);
        assertThat(answer.code()).as(what).isNotEqualTo(500).isLessThan(505);
        if (answer.code() >= 400) {
            try {
                assertThat(Json.parseObject(answer.body()).path("kind").asText())
                        .as(what)
                        .isEqualTo("Status");
            } catch (IOException e) {
                throw new AssertionError(what, e);
            }
        }
    }

    private static <T> T pick(Random random, List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private static byte[] body(Random random, String type) {
        return switch (random.nextInt(12)) {
            case 0 -> new byte[0];
            case 1 -> noise(random);
            case 2 -> "[".repeat(random.nextInt(3000)).getBytes(StandardCharsets.UTF_8);
            case 3 -> "{\"a\":".repeat(random.nextInt(3000)).getBytes(StandardCharsets.UTF_8);
            case 4 -> bomb();
            case 5 -> "{\"metadata\":{\"name\":1e999999999}}".getBytes(StandardCharsets.UTF_8);
            case 6 -> flipped(random, Json.bytes(object(random)));
            case 7 -> Yaml.write(object(random)).getBytes(StandardCharsets.UTF_8);
            case 8 -> Json.bytes(patch(random));
            default -> Json.bytes(mutate(random, object(random), 0));
        };
    }

    private static byte[] noise(Random random) {
        byte[] out = new byte[random.nextInt(300)];
        random.nextBytes(out);
        return out;
    }

    private static byte[] flipped(Random random, byte[] bytes) {
        for (int i = 0; i < 3; i++) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    /** Nine levels of nine aliases each. */
    private static byte[] bomb() {
        StringBuilder out = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for (int i = 1; i < 9; i++) {
            out.append("a").append(i).append(": &a").append(i).append(" [");
            out.append(("*a" + (i - 1) + ",").repeat(8))
                    .append("*a")
                    .append(i - 1)
                    .append("]\n");
        }
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static ObjectNode object(Random random) {
        ObjectNode out;
        switch (random.nextInt(4)) {
            case 0 -> out = Objects.configMap("a", "k", "v");
            case 1 -> out = Objects.service("a", "NodePort", "TCP", 80);
            case 2 -> out = Objects.slice("a", "a", "TCP", "198.51.100.1", 80, true);
            default -> {
                out = Json.object().put("apiVersion", "v1").put("kind", "Pod");
                out.putObject("metadata").put("name", "a");
                out.putObject("spec")
                        .putArray("containers")
                        .addObject()
                        .put("name", "c")
                        .put("image", "i");
            }
        }
        ((ObjectNode) out.get("metadata")).put("namespace", "fuzz");
        return out;
    }

    private static ArrayNode patch(Random random) {
        ArrayNode out = Json.MAPPER.createArrayNode();
        for (int i = random.nextInt(4); i >= 0; i--) {
            out.addObject()
                    .put(
                            "op",
                            pick(
                                    random,
                                    List.of(
                                            "add", "remove", "replace", "move", "copy", "test",
                                            "x")))
                    .put(
                            "path",
                            pick(
                                    random,
                                    List.of(
                                            "/data/k",
                                            "/metadata",
                                            "",
                                            "/spec/ports/0",
                                            "/~9",
                                            "x")))
                    .put("from", pick(random, List.of("/data", "", "/metadata/name")))
                    .put("value", random.nextInt());
        }
        return out;
    }

    /** Replaces some values by values of another type. */
    private static JsonNode mutate(Random random, JsonNode node, int depth) {
        if (random.nextInt(6) == 0 && depth > 0) {
            return switch (random.nextInt(8)) {
                case 0 -> Json.MAPPER.nullNode();
                case 1 -> Json.MAPPER.createArrayNode().add(Json.object());
                case 2 -> Json.object().put("", "").put("x/y", -1);
                case 3 -> Json.MAPPER.getNodeFactory().numberNode(Long.MIN_VALUE);
                case 4 -> Json.MAPPER.getNodeFactory().numberNode(0.5);
                case 5 ->
                    Json.MAPPER
                            .getNodeFactory()
                            .textNode("\u0000\uD83D\uDE00".repeat(random.nextInt(200)));
                case 6 -> Json.MAPPER.getNodeFactory().booleanNode(true);
                default -> Json.MAPPER.getNodeFactory().textNode("-1");
            };
        }
        if (node instanceof ObjectNode object) {
            ObjectNode out = Json.object();
            object.properties()
                    .forEach(entry ->
                            out.set(entry.getKey(), mutate(random, entry.getValue(), depth + 1)));
            return out;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode out = Json.MAPPER.createArrayNode();
            array.forEach(item -> out.add(mutate(random, item, depth + 1)));
            return out;
        }
        return node;
    }
}
