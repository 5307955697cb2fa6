package io.sluice.dataplane.conntrack;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.Frontends;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.kernel.conntrack.UdpFlow;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which UDP flows must end, after a change. To the kernel a client that keeps its port is one flow for ever, which goes where its first
 * datagram went; so a flow ends when that place is none of its Service's serving endpoints any more, whether others took their place,
 * nobody did, or the Service is gone. Flows to endpoints that serve stay, whatever policies say, and so do flows that only happen to
 * have a node port's number somewhere else. Pure, but for what was collected.
 */
final class StaleFlows implements Predicate<UdpFlow> {
    /** What knows a frontend: endpoints are addresses with ports. */
    private record Fate(boolean exists, Set<Place> serving) {}

    private record Place(IpAddress address, int port) {}

    private final Set<IpAddress> nodeAddresses;
    private final Map<Frontend.Key, Fate> frontends = new HashMap<>();

    /** @param nodeAddresses where node ports are */
    StaleFlows(Collection<IpAddress> nodeAddresses) {
        this.nodeAddresses = Set.copyOf(nodeAddresses);
    }

    /** Looks at one more change. */
    void add(ProxyDelta.Change change) {
        if (change.name().protocol() != Protocol.UDP || change.before().equals(change.after())) {
            return;
        }
        change.before()
                .ifPresent(port -> Frontends.of(port)
                        .forEach(frontend ->
                                frontends.putIfAbsent(frontend.key(), new Fate(false, Set.of()))));
        change.after()
                .ifPresent(port -> Frontends.of(port)
                        .forEach(frontend ->
                                frontends.put(frontend.key(), new Fate(true, serving(port)))));
    }

    private static Set<Place> serving(ServicePortImage port) {
        Set<Place> out = new HashSet<>();
        for (Backend backend : port.endpoints().serving()) {
            out.add(new Place(backend.address(), backend.port()));
        }
        return out;
    }

    boolean isEmpty() {
        return frontends.isEmpty();
    }

    boolean concerns(IpFamily family) {
        return frontends.keySet().stream().anyMatch(key -> key.address().family() == family);
    }

    @Override
    public boolean test(UdpFlow flow) {
        return fate(flow).map(fate -> isStale(flow, fate)).orElse(false);
    }

    private Optional<Fate> fate(UdpFlow flow) {
        Fate exact = frontends.get(new Frontend.Key(flow.to(), flow.toPort(), Protocol.UDP));
        if (exact != null || !nodeAddresses.contains(flow.to())) {
            return Optional.ofNullable(exact);
        }
        return Optional.ofNullable(frontends.get(
                new Frontend.Key(any(flow.to().family()), flow.toPort(), Protocol.UDP)));
    }

    private static IpAddress any(IpFamily family) {
        return new IpAddress(family, 0, 0);
    }

    /** One that nobody redirected came before there was an endpoint, and must not keep its client from one there is now. */
    private static boolean isStale(UdpFlow flow, Fate fate) {
        if (!fate.exists() || fate.serving().isEmpty()) {
            return flow.redirected();
        }
        return !fate.serving().contains(new Place(flow.answersFrom(), flow.answersFromPort()));
    }
}
