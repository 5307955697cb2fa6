package io.sluice.apiserver.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.Cidr;
import io.sluice.api.object.Json;
import io.sluice.apiserver.kinds.KindRun;
import io.sluice.apiserver.registry.ApiException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Random creates, updates, type changes, deletes, dry runs and lost writes: stored Services never share a value, and nothing leaks. */
final class ServiceAllocatorPropertyTest {
    /** Small, so that the pools run full now and then. */
    private static final List<Cidr> RANGES = List.of(Cidr.of("10.0.0.0/27"), Cidr.of("fd00::/123"));

    private static final int FIRST_PORT = 30000;
    private static final int LAST_PORT = 30024;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void storedServicesNeverShareAValue(long seed) {
        Random random = new Random(seed);
        ServiceAllocator allocator = fresh(random);
        Map<String, ObjectNode> stored = new HashMap<>();
        KindRun run = new KindRun(allocator);
        int refused = 0;
        for (int step = 0; step < 1500; step++) {
            String name = "s" + random.nextInt(40);
            ObjectNode old = stored.get(name);
            if (old != null && random.nextInt(4) == 0) {
                run.delete(stored.remove(name));
            } else {
                refused += write(run, random, name, stored) ? 0 : 1;
            }
            assertNothingTwice(stored);
            if (step % 500 == 499) {
                // A restart: the pools are made anew from what is stored.
                allocator = fresh(random);
                allocator.load(stored.values());
                run = new KindRun(allocator);
            }
        }
        assertThat(refused).as("some writes meet full pools or taken values").isPositive();
        stored.values().forEach(run::delete);
        assertThat(capacity(allocator))
                .as("everything came back")
                .isEqualTo(capacity(fresh(random)));
    }

    private static ServiceAllocator fresh(Random random) {
        return new ServiceAllocator(RANGES, FIRST_PORT, LAST_PORT, random);
    }

    /** How many NodePort Services of both families fit; takes all of them. */
    private static int capacity(ServiceAllocator allocator) {
        KindRun run = new KindRun(allocator);
        int count = 0;
        try {
            while (true) {
                run.create(service("c" + count, "NodePort", "RequireDualStack", 1));
                count++;
            }
        } catch (ApiException e) {
            return count;
        }
    }

    /** True if it was stored. */
    private static boolean write(
            KindRun run, Random random, String name, Map<String, ObjectNode> stored) {
        ObjectNode old = stored.get(name);
        ObjectNode input = change(random, name, old);
        try {
            KindRun.Created result = old == null ? run.create(input) : run.updateOnly(input, old);
            if (random.nextInt(4) == 0) {
                result.reservation().close();
            } else {
                stored.put(name, result.object());
                result.reservation().keep();
            }
            return true;
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(422);
            return false;
        }
    }

    private static ObjectNode change(Random random, String name, ObjectNode old) {
        String[] types = {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"};
        String[] policies = {"SingleStack", "PreferDualStack", "RequireDualStack"};
        ObjectNode input = service(
                name,
                types[random.nextInt(types.length)],
                policies[random.nextInt(policies.length)],
                1 + random.nextInt(2));
        ObjectNode spec = (ObjectNode) input.get("spec");
        if (spec.path("type").asText().equals("LoadBalancer") && random.nextBoolean()) {
            spec.put("externalTrafficPolicy", "Local");
        }
        boolean nodePort =
                List.of("NodePort", "LoadBalancer").contains(spec.path("type").asText());
        if (nodePort && random.nextInt(3) == 0) {
            ((ObjectNode) spec.path("ports").get(0))
                    .put("nodePort", FIRST_PORT - 1 + random.nextInt(27));
        }
        boolean fresh = old == null && !spec.path("type").asText().equals("ExternalName");
        if (fresh && random.nextInt(3) == 0) {
            spec.put("clusterIP", "10.0.0." + random.nextInt(33));
        }
        return input;
    }

    private static ObjectNode service(String name, String type, String policy, int ports) {
        ObjectNode out = Json.object().put("apiVersion", "v1").put("kind", "Service");
        out.putObject("metadata").put("name", name).put("namespace", "default");
        ObjectNode spec = out.putObject("spec").put("type", type);
        if (type.equals("ExternalName")) {
            spec.put("externalName", "example.com");
        } else {
            spec.put("ipFamilyPolicy", policy);
            spec.putObject("selector").put("a", "b");
        }
        ArrayNode list = spec.putArray("ports");
        for (int i = 0; i < ports; i++) {
            list.addObject().put("name", "p" + i).put("port", 80 + i);
        }
        return out;
    }

    private static void assertNothingTwice(Map<String, ObjectNode> stored) {
        Set<String> seen = new HashSet<>();
        stored.forEach((name, service) -> {
            JsonNode spec = service.path("spec");
            Set<String> own = new HashSet<>();
            spec.path("clusterIPs").forEach(ip -> own.add(ip.asText()));
            spec.path("ports")
                    .forEach(port -> own.add("port " + port.path("nodePort").asInt()));
            own.add("port " + spec.path("healthCheckNodePort").asInt());
            own.remove("port 0");
            own.forEach(value ->
                    assertThat(seen.add(value)).as(name + " holds " + value).isTrue());
            boolean external = spec.path("type").asText().equals("ExternalName");
            assertThat(spec.path("clusterIPs").isEmpty())
                    .as(service.toString())
                    .isEqualTo(external);
        });
    }

    @Test
    void sixtyFourCreatorsAtOnceGetDifferentValues() throws Exception {
        KindRun run = KindRun.dualStack();
        Map<String, ObjectNode> stored = new ConcurrentHashMap<>();
        List<Future<?>> creators = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int creator = 0; creator < 64; creator++) {
                int id = creator;
                creators.add(threads.submit(() -> {
                    for (int i = 0; i < 40; i++) {
                        String name = "s" + id + "-" + i;
                        KindRun.Created made =
                                run.create(service(name, "NodePort", "RequireDualStack", 1));
                        if (i % 4 == 3) {
                            made.reservation().close();
                        } else {
                            made.reservation().keep();
                            stored.put(name, made.object());
                        }
                    }
                }));
            }
        }
        for (Future<?> creator : creators) {
            creator.get();
        }
        assertThat(stored).hasSize(64 * 30);
        assertNothingTwice(stored);
    }

    @Test
    void theLowerBandsAreLeftToExplicitRequests() {
        KindRun run = new KindRun(KindRun.allocator("10.96.0.0/24"));
        for (int i = 0; i < 200; i++) {
            JsonNode spec = run.create(service("s" + i, "NodePort", "SingleStack", 1))
                    .object()
                    .path("spec");
            String address = spec.path("clusterIP").asText();
            int last = Integer.parseInt(address.substring(address.lastIndexOf('.') + 1));
            assertThat(last).isBetween(17, 254);
            assertThat(spec.path("ports").get(0).path("nodePort").asInt()).isBetween(30086, 32767);
        }
    }
}
