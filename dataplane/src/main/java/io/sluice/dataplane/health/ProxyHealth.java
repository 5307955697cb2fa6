package io.sluice.dataplane.health;

import io.sluice.api.model.Node;
import io.sluice.api.net.IpFamily;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Healthy while no change waits longer than allowed, in any family. Thread-safe.
 */
public final class ProxyHealth {
    private static final String DELETION_TAINT = "ToBeDeletedByClusterAutoscaler";

    private final Clock clock;
    private final Duration allowed;
    private final Map<IpFamily, FamilyState> families = new EnumMap<>(IpFamily.class);
    private Optional<Node> node = Optional.empty();

    /** @param pendingSince of the oldest change that waits */
    private record FamilyState(Instant lastUpdated, Optional<Instant> pendingSince) {}

    /** What is told of one family. */
    public record FamilyReport(Instant lastUpdated, boolean healthy) {}

    /**
     * All that is told.
     *
     * @param nodeEligible whether load balancers should send traffic here
     */
    public record Report(
            Instant lastUpdated,
            Instant now,
            boolean healthy,
            boolean nodeEligible,
            Map<IpFamily, FamilyReport> families) {}

    /** @param allowed how long a change may wait: twice the sync period */
    public ProxyHealth(Clock clock, Duration allowed) {
        this.clock = clock;
        this.allowed = allowed;
        Instant start = clock.instant();
        for (IpFamily family : IpFamily.values()) {
            families.put(family, new FamilyState(start, Optional.empty()));
        }
    }

    /** A change waits. */
    public synchronized void onQueued() {
        Instant now = clock.instant();
        families.replaceAll((family, state) -> state.pendingSince().isPresent()
                ? state
                : new FamilyState(state.lastUpdated(), Optional.of(now)));
    }

    /** All changes are in force. */
    public synchronized void onUpdated() {
        Instant now = clock.instant();
        families.replaceAll((family, state) -> new FamilyState(now, Optional.empty()));
    }

    /** @param current empty where the node does not exist */
    public synchronized void onNode(Optional<Node> current) {
        node = current;
    }

    public synchronized Report report() {
        Instant now = clock.instant();
        Map<IpFamily, FamilyReport> out = new EnumMap<>(IpFamily.class);
        boolean healthy = true;
        Instant last = Instant.MIN;
        for (Map.Entry<IpFamily, FamilyState> entry : families.entrySet()) {
            FamilyState state = entry.getValue();
            boolean well = state.pendingSince()
                    .map(since -> Duration.between(since, now).compareTo(allowed) < 0)
                    .orElse(true);
            healthy &= well;
            last = state.lastUpdated().isAfter(last) ? state.lastUpdated() : last;
            out.put(entry.getKey(), new FamilyReport(state.lastUpdated(), well));
        }
        boolean eligible = node.filter(
                        found -> !found.deleting() && !found.taintKeys().contains(DELETION_TAINT))
                .isPresent();
        return new Report(last, now, healthy, eligible, out);
    }
}
