package io.sluice.endpoints;

import java.util.List;
import java.util.Optional;

/**
 * What changed from one {@link ProxyImage} to the next; the first load is a delta too.
 *
 * @param changes one entry per Service port that differs, sorted by name
 * @param triggerTimes milliseconds since the epoch of the EndpointSlice changes that led here, for the network programming
 *     latency
 */
public record ProxyDelta(List<Change> changes, List<Long> triggerTimes) {

    /** One of the two is present, or both, and then they differ. */
    public record Change(
            ServicePortName name,
            Optional<ServicePortImage> before,
            Optional<ServicePortImage> after) {}

    public boolean isEmpty() {
        return changes.isEmpty();
    }
}
