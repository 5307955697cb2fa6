package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.ProxyDelta.Change;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the API server said of Services and slices, and which Services changed since the last check-out. State, owned by the
 * conductor's thread. The order in which Services and slices arrive does not matter; work is proportional to the Services that
 * changed.
 */
public final class ServiceTracker {
    private final Map<NamespacedName, Service> services = new HashMap<>();
    private final SliceTracker slices = new SliceTracker();
    private final Set<NamespacedName> pending = new LinkedHashSet<>();
    private final List<Long> triggerTimes = new ArrayList<>();
    private NodeView node;
    private BucketImage image = BucketImage.EMPTY;
    private long serviceChanges;
    private long sliceChanges;

    public ServiceTracker(NodeView node) {
        this.node = node;
    }

    /** What a check-out gives. */
    public record CheckOut(ProxyImage image, ProxyDelta delta) {}

    /** Sizes and counts, for metrics. */
    public record Counts(
            int services,
            int slices,
            int pendingServices,
            int pendingSliceServices,
            long serviceChanges,
            long sliceChanges) {}

    public void onService(Service service) {
        Service before = services.put(service.name(), service);
        if (!service.equals(before)) {
            serviceChanges++;
            pending.add(service.name());
        }
    }

    public void onServiceDeleted(NamespacedName name) {
        if (services.remove(name) != null) {
            serviceChanges++;
            pending.add(name);
        }
    }

    public void onSlice(EndpointSlice slice) {
        Set<NamespacedName> touched = slices.put(slice);
        if (!touched.isEmpty()) {
            sliceChanges++;
            pending.addAll(touched);
            if (slice.triggerTime() > 0) {
                triggerTimes.add(slice.triggerTime());
            }
        }
    }

    public void onSliceDeleted(NamespacedName name) {
        slices.remove(name).ifPresent(service -> {
            sliceChanges++;
            pending.add(service);
        });
    }

    /**
     * A change of name or zone touches every Service; one of addresses only those with source ranges, which may admit the node by its
     * address.
     */
    public void onNode(NodeView changed) {
        boolean all = !changed.name().equals(node.name()) || !changed.zone().equals(node.zone());
        boolean addresses = !changed.addresses().equals(node.addresses());
        node = changed;
        if (all || addresses) {
            services.values().stream()
                    .filter(service -> all || !service.sourceRanges().isEmpty())
                    .forEach(service -> pending.add(service.name()));
        }
    }

    public boolean hasPending() {
        return !pending.isEmpty();
    }

    /** The newest image. */
    public ProxyImage image() {
        return image;
    }

    public Counts counts() {
        int pendingSlices = (int)
                pending.stream().filter(name -> !slices.of(name).isEmpty()).count();
        return new Counts(
                services.size(),
                slices.size(),
                pending.size(),
                pendingSlices,
                serviceChanges,
                sliceChanges);
    }

    /** Takes all pending changes at once. */
    public CheckOut checkOut() {
        Map<NamespacedName, List<ServicePortImage>> changed = new LinkedHashMap<>();
        List<Change> changes = new ArrayList<>();
        EndpointChooser chooser = new EndpointChooser(node);
        for (NamespacedName name : pending) {
            List<ServicePortImage> before = image.service(name);
            List<ServicePortImage> after = Optional.ofNullable(services.get(name))
                    .map(service -> ports(service, chooser))
                    .orElse(List.of());
            if (!after.equals(before)) {
                changed.put(name, after);
                compare(before, after, changes);
            }
        }
        pending.clear();
        image = image.with(changed);
        changes.sort(Comparator.comparing(Change::name));
        ProxyDelta delta = new ProxyDelta(List.copyOf(changes), List.copyOf(triggerTimes));
        triggerTimes.clear();
        return new CheckOut(image, delta);
    }

    private List<ServicePortImage> ports(Service service, EndpointChooser chooser) {
        Set<IpFamily> families = ServiceExpander.families(service);
        return ServiceExpander.expand(service, node).stream()
                .map(port -> port.withEndpoints(
                        chooser.choose(port, slices.of(service.name()), families)))
                .toList();
    }

    private static void compare(
            List<ServicePortImage> before, List<ServicePortImage> after, List<Change> changes) {
        Map<ServicePortName, ServicePortImage> old = new LinkedHashMap<>();
        before.forEach(port -> old.put(port.name(), port));
        for (ServicePortImage port : after) {
            Optional<ServicePortImage> previous = Optional.ofNullable(old.remove(port.name()));
            if (!previous.equals(Optional.of(port))) {
                changes.add(new Change(port.name(), previous, Optional.of(port)));
            }
        }
        old.forEach(
                (name, port) -> changes.add(new Change(name, Optional.of(port), Optional.empty())));
    }
}
