package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All slices by the Service they belong to, also of Services not seen yet. State, owned by the conductor's thread. Nothing of a
 * Service stays when its last slice is gone.
 */
final class SliceTracker {
    private final Map<NamespacedName, Map<NamespacedName, EndpointSlice>> byService =
            new HashMap<>();
    private final Map<NamespacedName, NamespacedName> serviceOf = new HashMap<>();

    /** @return the Services whose endpoints may differ now: none, one, or two when a slice moved */
    Set<NamespacedName> put(EndpointSlice slice) {
        Set<NamespacedName> touched = new LinkedHashSet<>(4);
        NamespacedName service = slice.service();
        NamespacedName former = serviceOf.get(slice.name());
        if (former != null && !former.equals(service)) {
            remove(slice.name()).ifPresent(touched::add);
        }
        if (slice.serviceName().isEmpty()) {
            return touched;
        }
        EndpointSlice before = byService
                .computeIfAbsent(service, key -> new HashMap<>(2))
                .put(slice.name(), slice);
        serviceOf.put(slice.name(), service);
        if (before == null || !same(before, slice)) {
            touched.add(service);
        }
        return touched;
    }

    /** Whether two states of a slice mean the same; when the change was triggered has no meaning of its own. */
    private static boolean same(EndpointSlice a, EndpointSlice b) {
        return a.headless() == b.headless()
                && a.addressType() == b.addressType()
                && a.endpoints().equals(b.endpoints())
                && a.ports().equals(b.ports());
    }

    /** @return the Service it belonged to */
    Optional<NamespacedName> remove(NamespacedName name) {
        NamespacedName service = serviceOf.remove(name);
        if (service == null) {
            return Optional.empty();
        }
        Map<NamespacedName, EndpointSlice> slices = byService.get(service);
        slices.remove(name);
        if (slices.isEmpty()) {
            byService.remove(service);
        }
        return Optional.of(service);
    }

    Collection<EndpointSlice> of(NamespacedName service) {
        Map<NamespacedName, EndpointSlice> slices = byService.get(service);
        return slices == null ? List.of() : slices.values();
    }

    int size() {
        return serviceOf.size();
    }
}
