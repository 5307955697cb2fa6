package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Work and memory follow what changed, not what there is. */
class LargeServicesTest {
    private static final int ENDPOINTS = 100;

    private static ASlice slice(String service, int index) {
        ASlice out = ASlice.named(service + '-' + index).of(service).http();
        for (int i = 0; i < ENDPOINTS; i++) {
            out.endpoint(AnEndpoint.at("10." + index + ".1." + i).on("node-" + i));
        }
        return out;
    }

    private static ServiceTracker loaded(int services, int slices) {
        ServiceTracker tracker = new ServiceTracker(Views.NODE);
        for (int i = 0; i < services; i++) {
            tracker.onService(AService.named("s" + i).http().build());
            for (int j = 0; j < slices; j++) {
                tracker.onSlice(slice("s" + i, j).build());
            }
        }
        return tracker;
    }

    /** Bytes this thread asks for while a change of one slice becomes an image. */
    private static long allocatedByOneChange(ServiceTracker tracker) {
        var threads = ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            tracker.onSlice(slice("s0", 0).ready("10.0.2." + round).build());
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(tracker.checkOut().delta().changes()).hasSize(1);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    @Test
    void aChangeCostsTheSameBesideManyOtherServices() {
        ServiceTracker few = loaded(1, 1);
        ServiceTracker many = loaded(200, 1);
        few.checkOut();
        many.checkOut();

        assertThat(allocatedByOneChange(many)).isLessThan(2 * allocatedByOneChange(few));
    }

    @Test
    void theCostOfAServiceGrowsWithItsEndpointsAndNotFaster() {
        ServiceTracker small = loaded(1, 4);
        ServiceTracker large = loaded(1, 40);
        small.checkOut();
        large.checkOut();

        assertThat(allocatedByOneChange(large)).isLessThan(20 * allocatedByOneChange(small));
    }

    @Test
    void aServiceOf10000EndpointsIsMergedOnce() {
        ServiceTracker tracker = loaded(1, 100);

        ServicePortImage port = tracker.checkOut().image().ports().iterator().next();

        assertThat(port.endpoints().cluster()).hasSize(100 * ENDPOINTS);
        assertThat(port.endpoints().local()).hasSize(100);
        assertThat(port.endpoints().serving()).isSameAs(port.endpoints().cluster());
    }

    @Test
    void textsThatRepeatAreOneInMemory() {
        ServiceTracker tracker = new ServiceTracker(Views.NODE);
        tracker.onService(AService.named("s0").nodePort(30080).externalLocal().build());
        tracker.onSlice(slice("s0", 0).build());
        tracker.onSlice(slice("s0", 1).build());

        List<LeftOut> leftOut =
                tracker.checkOut().image().ports().iterator().next().endpoints().leftOut();

        assertThat(leftOut).hasSize(2 * (ENDPOINTS - 1));
        Map<String, String> seen = new HashMap<>();
        for (LeftOut out : leftOut) {
            assertThat(seen.computeIfAbsent(out.detail(), text -> out.detail()))
                    .isSameAs(out.detail());
        }
        assertThat(seen).hasSize(ENDPOINTS - 1);
    }
}
