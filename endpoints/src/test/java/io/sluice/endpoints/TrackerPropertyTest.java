package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.IpAddress;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Random histories: the image that grew change by change equals one made from the final objects alone, in any order; deltas lead from
 * image to image; the index of frontends agrees with a plain search.
 */
class TrackerPropertyTest {
    private static final int STEPS = 400;

    static IntStream seeds() {
        return IntStream.range(0, 40);
    }

    /** The objects that exist, as a slow twin would keep them. */
    private static final class World {
        private final Map<NamespacedName, Service> services = new TreeMap<>();
        private final Map<NamespacedName, EndpointSlice> slices = new TreeMap<>();
        private NodeView node = Fixtures.NODE;

        Map<ServicePortName, ServicePortImage> fromScratch(Random random) {
            ServiceTracker tracker = new ServiceTracker(node);
            List<Runnable> events = new ArrayList<>();
            services.values().forEach(service -> events.add(() -> tracker.onService(service)));
            slices.values().forEach(slice -> events.add(() -> tracker.onSlice(slice)));
            Collections.shuffle(events, random);
            events.forEach(Runnable::run);
            return byName(tracker.checkOut().image());
        }
    }

    private static Map<ServicePortName, ServicePortImage> byName(ProxyImage image) {
        Map<ServicePortName, ServicePortImage> out = new TreeMap<>();
        image.ports().forEach(port -> out.put(port.name(), port));
        return out;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void incrementalEqualsFromScratch(int seed) {
        Random random = new Random(seed);
        World world = new World();
        ServiceTracker tracker = new ServiceTracker(world.node);
        FrontendIndex index = new FrontendIndex();
        Map<ServicePortName, ServicePortImage> composed = new TreeMap<>();
        for (int step = 0; step < STEPS; step++) {
            change(random, world, tracker);
            if (random.nextInt(4) == 0) {
                ServiceTracker.CheckOut checkOut = tracker.checkOut();
                apply(checkOut.delta(), composed);
                index.apply(checkOut.delta(), conflict -> {});
                assertThat(composed)
                        .as("seed %d step %d: deltas compose", seed, step)
                        .isEqualTo(byName(checkOut.image()));
                assertThat(composed)
                        .as("seed %d step %d: incremental equals from scratch", seed, step)
                        .isEqualTo(world.fromScratch(random));
                assertOwners(index, composed, seed, step);
                assertThat(tracker.hasPending()).isFalse();
                assertThat(tracker.checkOut().delta().isEmpty()).isTrue();
            }
        }
    }

    private static void apply(ProxyDelta delta, Map<ServicePortName, ServicePortImage> composed) {
        for (ProxyDelta.Change change : delta.changes()) {
            assertThat(Optional.ofNullable(composed.get(change.name()))).isEqualTo(change.before());
            assertThat(change.before()).isNotEqualTo(change.after());
            change.after()
                    .ifPresentOrElse(
                            port -> composed.put(change.name(), port),
                            () -> composed.remove(change.name()));
        }
    }

    private static void assertOwners(
            FrontendIndex index, Map<ServicePortName, ServicePortImage> ports, int seed, int step) {
        Map<Frontend.Key, FrontendIndex.Claim> expected = new HashMap<>();
        for (Frontend.Kind kind : Frontend.Kind.values()) {
            for (ServicePortImage port : ports.values()) {
                for (Frontend frontend : Frontends.of(port)) {
                    if (frontend.kind() == kind) {
                        expected.putIfAbsent(
                                frontend.key(), new FrontendIndex.Claim(frontend, port));
                    }
                }
            }
        }
        expected.forEach((key, claim) -> assertThat(index.owner(key))
                .as("seed %d step %d: owner of %s", seed, step, key)
                .contains(claim));
    }

    private static void change(Random random, World world, ServiceTracker tracker) {
        NamespacedName service = new NamespacedName("default", "s" + random.nextInt(5));
        NamespacedName slice = new NamespacedName("default", "slice" + random.nextInt(8));
        switch (random.nextInt(10)) {
            case 0 -> {
                world.services.remove(service);
                tracker.onServiceDeleted(service);
            }
            case 1 -> {
                world.slices.remove(slice);
                tracker.onSliceDeleted(slice);
            }
            case 2 -> {
                String zone = random.nextBoolean() ? "zone-a" : "zone-b";
                world.node = new NodeView("node-1", zone, List.of(IpAddress.of("10.0.0.1")));
                tracker.onNode(world.node);
            }
            case 3, 4, 5 -> {
                Service made = randomService(random, service.name());
                world.services.put(service, made);
                tracker.onService(made);
            }
            default -> {
                EndpointSlice made = randomSlice(random, slice.name());
                world.slices.put(slice, made);
                tracker.onSlice(made);
            }
        }
    }

    private static Service randomService(Random random, String name) {
        ServiceType[] types = ServiceType.values();
        return Fixtures.service(name, "10.96.0." + (1 + random.nextInt(4)))
                .type(types[random.nextInt(types.length)])
                .nodePort(random.nextBoolean() ? 30_000 + random.nextInt(3) : 0)
                .externalIps(
                        random.nextBoolean()
                                ? new String[] {"10.96.0." + (1 + random.nextInt(6))}
                                : new String[0])
                .externalLocal(random.nextBoolean())
                .internalLocal(random.nextInt(4) == 0)
                .headless(random.nextInt(10) == 0)
                .proxyNamed(random.nextInt(10) == 0)
                .build();
    }

    private static EndpointSlice randomSlice(Random random, String name) {
        Endpoint[] endpoints = new Endpoint[random.nextInt(5)];
        for (int i = 0; i < endpoints.length; i++) {
            List<String> zones = random.nextBoolean()
                    ? List.of("zone-" + (char) ('a' + random.nextInt(2)))
                    : List.of();
            endpoints[i] = new Endpoint(
                    IpAddress.of("10.244.0." + random.nextInt(6)),
                    random.nextInt(3) > 0,
                    random.nextInt(3) > 0,
                    random.nextInt(3) == 0,
                    "node-" + (1 + random.nextInt(2)),
                    "",
                    zones,
                    List.of(),
                    "");
        }
        return Fixtures.slice(
                name, random.nextInt(12) == 0 ? "" : "s" + random.nextInt(5), endpoints);
    }
}
