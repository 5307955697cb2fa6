package io.sluice.dataplane.conductor;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.dataplane.apply.Applier;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Carries nothing, but checks what it is given: each delta starts from what it carries, and leads to
 * the image beside it. A call that fails changes nothing. Guarded by itself, so tests may look.
 */
final class TwinApplier implements Applier {
    private final Map<ServicePortName, ServicePortImage> carried = new HashMap<>();
    private final List<ProxyDelta> taken = new ArrayList<>();
    private final List<String> contradictions = new ArrayList<>();
    private Supplier<List<String>> onApply = List::of;
    private Supplier<List<String>> onNode = List::of;
    private List<Cidr> ranges = List.of();
    private int calls;
    private int nodeCalls;

    /** What happens at each call: problems returned, or an exception. */
    synchronized void script(Supplier<List<String>> next) {
        onApply = next;
    }

    synchronized void scriptNode(Supplier<List<String>> next) {
        onNode = next;
    }

    @Override
    public List<String> apply(ProxyImage image, ProxyDelta delta) {
        Supplier<List<String>> script;
        synchronized (this) {
            calls++;
            script = onApply;
        }
        List<String> problems = script.get();
        synchronized (this) {
            for (ProxyDelta.Change change : delta.changes()) {
                Optional<ServicePortImage> before = Optional.ofNullable(carried.get(change.name()));
                if (!before.equals(change.before())) {
                    contradictions.add(change.name() + ": carried " + before + ", delta from "
                            + change.before());
                }
                if (!image.find(change.name()).equals(change.after())) {
                    contradictions.add(change.name() + ": the delta does not lead to the image");
                }
                change.after()
                        .ifPresentOrElse(
                                port -> carried.put(change.name(), port),
                                () -> carried.remove(change.name()));
            }
            if (image.ports().size() != carried.size()) {
                contradictions.add("the delta does not lead to the image");
            }
            taken.add(delta);
            return problems;
        }
    }

    @Override
    public List<String> onNode(NodeView node, Collection<IpAddress> interfaceAddresses) {
        Supplier<List<String>> script;
        synchronized (this) {
            nodeCalls++;
            script = onNode;
        }
        return script.get();
    }

    @Override
    public synchronized List<String> onServiceRanges(List<Cidr> changed) {
        ranges = changed;
        return List.of();
    }

    synchronized List<Cidr> ranges() {
        return ranges;
    }

    synchronized int calls() {
        return calls;
    }

    synchronized int nodeCalls() {
        return nodeCalls;
    }

    synchronized List<ProxyDelta> taken() {
        return List.copyOf(taken);
    }

    synchronized List<String> contradictions() {
        return List.copyOf(contradictions);
    }

    synchronized Map<ServicePortName, ServicePortImage> carried() {
        return Map.copyOf(carried);
    }

    @Override
    public void drain(Duration deadline) {}

    @Override
    public void close() {}
}
