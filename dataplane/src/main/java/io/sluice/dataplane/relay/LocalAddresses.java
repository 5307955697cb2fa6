package io.sluice.dataplane.relay;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.RouteNetlink;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes Service addresses local to this node with {@code local} routes: one for each Service range, one for each address outside of
 * them. State, owned by the applier's thread.
 */
final class LocalAddresses {
    private final List<Cidr> serviceRanges;
    private final Set<Cidr> routed = new LinkedHashSet<>();
    private final Map<IpAddress, Integer> users = new HashMap<>();
    private final Set<IpAddress> own = new HashSet<>();
    private Optional<String> forbidden = Optional.empty();

    LocalAddresses(List<Cidr> serviceRanges) {
        this.serviceRanges = serviceRanges;
    }

    /**
     * Addresses the node has by itself need no route; those it lost do, while they are in use.
     *
     * @throws KernelException if one of these cannot be made local
     */
    void onInterfaces(Collection<IpAddress> addresses) throws KernelException {
        Set<IpAddress> lost = new HashSet<>(own);
        own.clear();
        own.addAll(addresses);
        lost.removeAll(own);
        lost.retainAll(users.keySet());
        for (IpAddress address : lost) {
            makeLocal(address);
        }
    }

    /** Why no route can be made, when that is so for all: we lack the right. */
    Optional<String> forbidden() {
        return forbidden;
    }

    /** One more socket uses the address. @throws KernelException if it cannot be made local */
    void acquire(IpAddress address) throws KernelException {
        if (address.isLoopback() || address.isUnspecified()) {
            return;
        }
        if (!own.contains(address)) {
            makeLocal(address);
        }
        users.merge(address, 1, Integer::sum);
    }

    private void makeLocal(IpAddress address) throws KernelException {
        Cidr route = route(address);
        if (routed.contains(route)) {
            return;
        }
        try {
            RouteNetlink.addLocal(route);
        } catch (KernelException e) {
            if (e.errno() == Errno.EPERM || e.errno() == Errno.EACCES) {
                forbidden = Optional.of(e.getMessage());
            }
            throw e;
        }
        routed.add(route);
    }

    /** One less; a route of its own goes with the last. */
    void release(IpAddress address) throws KernelException {
        Integer left =
                users.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        Cidr route = route(address);
        if (left == null && !serviceRanges.contains(route) && routed.remove(route)) {
            RouteNetlink.deleteLocal(route);
        }
    }

    private Cidr route(IpAddress address) {
        return serviceRanges.stream()
                .filter(range -> range.contains(address))
                .findFirst()
                .orElse(new Cidr(address, address.family().bits()));
    }

    /** Takes all routes away. */
    void clear() throws KernelException {
        for (Cidr route : routed) {
            RouteNetlink.deleteLocal(route);
        }
        routed.clear();
        users.clear();
    }
}
