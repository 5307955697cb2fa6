package io.sluice.dataplane.conductor;

import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyDelta.Change;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortImage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Compares images as a whole, for when the deltas between them were lost. Pure. */
final class Deltas {
    private Deltas() {}

    /** What leads from one image to the other. */
    static ProxyDelta between(ProxyImage before, ProxyImage after, List<Long> triggerTimes) {
        List<Change> changes = new ArrayList<>();
        for (ServicePortImage port : after.ports()) {
            Optional<ServicePortImage> old = before.find(port.name());
            if (!old.equals(Optional.of(port))) {
                changes.add(new Change(port.name(), old, Optional.of(port)));
            }
        }
        for (ServicePortImage port : before.ports()) {
            if (after.find(port.name()).isEmpty()) {
                changes.add(new Change(port.name(), Optional.of(port), Optional.empty()));
            }
        }
        changes.sort(Comparator.comparing(Change::name));
        return new ProxyDelta(List.copyOf(changes), List.copyOf(triggerTimes));
    }
}
