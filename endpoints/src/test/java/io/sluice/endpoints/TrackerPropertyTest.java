package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;
import io.sluice.endpoints.ProxyDelta.Change;
import io.sluice.endpoints.ServiceTracker.CheckOut;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Random histories: what the tracker does step by step is what the slow twin finds from scratch. */
class TrackerPropertyTest {
    private static final int STEPS = 60;

    /** Both worlds, and an image that is kept up by deltas alone. */
    private static final class World {
        private final RandomObjects objects;
        private final Random random;
        private final ServiceTracker tracker = new ServiceTracker(Views.NODE);
        private final SlowProxy slow = new SlowProxy(Views.NODE);
        private final Map<ServicePortName, ServicePortImage> byDeltas = new HashMap<>();
        private final Set<String> seen;

        World(Random random, Set<String> seen) {
            this.random = random;
            this.objects = new RandomObjects(random);
            this.seen = seen;
        }

        void event() {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> {
                    Service service = objects.service();
                    tracker.onService(service);
                    slow.put(service);
                }
                case 3 -> {
                    NamespacedName name = new NamespacedName("shop", objects.serviceName());
                    tracker.onServiceDeleted(name);
                    slow.deleteService(name);
                }
                case 4, 5 -> {
                    NamespacedName name = new NamespacedName("shop", objects.sliceName());
                    tracker.onSliceDeleted(name);
                    slow.deleteSlice(name);
                }
                case 6 -> {
                    NodeView node = objects.node();
                    tracker.onNode(node);
                    slow.node(node);
                }
                default -> {
                    EndpointSlice slice = objects.slice();
                    tracker.onSlice(slice);
                    slow.put(slice);
                }
            }
        }

        void checkOut() {
            CheckOut checkOut = tracker.checkOut();
            Map<String, String> found = new TreeMap<>();
            for (ServicePortImage port : checkOut.image().ports()) {
                found.put(SlowProxy.key(port.name()), SlowProxy.describe(port));
                port.endpoints().leftOut().forEach(out -> seen.add(out.reason().name()));
            }
            assertThat(found).isEqualTo(slow.image());

            for (Change change : checkOut.delta().changes()) {
                assertThat(change.before())
                        .isEqualTo(Optional.ofNullable(byDeltas.get(change.name())))
                        .isNotEqualTo(change.after());
                change.after()
                        .ifPresentOrElse(
                                port -> byDeltas.put(change.name(), port),
                                () -> byDeltas.remove(change.name()));
            }
            assertThat(byDeltas.values())
                    .as("the last image and the delta make the new image")
                    .containsExactlyInAnyOrderElementsOf(checkOut.image().ports());
            assertThat(tracker.hasPending()).isFalse();
        }
    }

    @Test
    void theTrackerEqualsItsTwinAtEachCheckOut() {
        Set<String> seen = new TreeSet<>();
        Seeds.run(150, random -> {
            World world = new World(random, seen);
            for (int step = 0; step < STEPS; step++) {
                world.event();
                if (random.nextInt(3) == 0) {
                    world.checkOut();
                }
            }
            world.checkOut();
        });
        if (Long.getLong("endpoints.seed") == null) {
            assertThat(seen)
                    .as("the histories met every reason there is")
                    .hasSize(LeftOut.Reason.values().length);
        }
    }

    @Test
    void everyEndpointOfASliceIsAccountedFor() {
        Seeds.run(300, random -> {
            RandomObjects objects = new RandomObjects(random);
            ServiceTracker tracker = new ServiceTracker(Views.NODE);
            Service service = objects.service();
            EndpointSlice slice = objects.slice();
            tracker.onService(service);
            tracker.onSlice(slice);
            for (ServicePortImage port : tracker.checkOut().image().ports()) {
                boolean ours = slice.service().equals(service.name())
                        && slice.addressType()
                                .name()
                                .equals(port.name().family().name());
                slice.endpoints().stream()
                        .filter(endpoint -> ours)
                        .forEach(endpoint -> assertThat(port.endpoints().cluster().stream()
                                                .anyMatch(backend -> backend.address()
                                                        .equals(endpoint.address()))
                                        || port.endpoints().local().stream()
                                                .anyMatch(backend -> backend.address()
                                                        .equals(endpoint.address()))
                                        || port.endpoints().leftOut().stream()
                                                .anyMatch(out ->
                                                        out.address().equals(endpoint.address())))
                                .as("%s of %s", endpoint, slice)
                                .isTrue());
            }
        });
    }
}
