package io.sluice.endpoints;

import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Short ways to the values under test. All tests stand on {@code node-1} in zone {@code z1}. */
final class Views {
    static final NodeView NODE =
            new NodeView("node-1", "z1", AService.addresses("192.0.2.1", "2001:db8:1::1"));

    private Views() {}

    /** Text of each backend. */
    static List<String> texts(Collection<Backend> backends) {
        return backends.stream().map(Backend::text).toList();
    }

    /** {@code address:port REASON} of each endpoint left out; without the port where it has none. */
    static List<String> reasons(EndpointChoice choice) {
        return choice.leftOut().stream()
                .map(out -> (out.port() == 0
                                ? out.address().toString()
                                : out.address().withPort(out.port()))
                        + ' '
                        + out.reason())
                .toList();
    }

    /** What a fresh tracker makes of these. */
    static List<ServicePortImage> expand(Service service, EndpointSlice... slices) {
        ServiceTracker tracker = new ServiceTracker(NODE);
        tracker.onService(service);
        Stream.of(slices).forEach(tracker::onSlice);
        return tracker.checkOut().image().ports().stream()
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .toList();
    }

    /** As {@link #expand}, where there is one Service port. */
    static ServicePortImage only(Service service, EndpointSlice... slices) {
        List<ServicePortImage> all = expand(service, slices);
        if (all.size() != 1) {
            throw new AssertionError("expected one Service port, found " + all);
        }
        return all.getFirst();
    }
}
