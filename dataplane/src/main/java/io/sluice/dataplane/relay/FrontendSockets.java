package io.sluice.dataplane.relay;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.kernel.ClassicBpf;
import io.sluice.kernel.Descriptors;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The sockets that are bound now, by frontend and address. State, owned by the applier's thread. */
final class FrontendSockets {
    private static final int MOST_FLOWS = 65_536;

    private final RelayGroup group;
    private final LocalAddresses localAddresses;
    private final Supplier<SourceClassifier> classifier;
    private final Exhaustion exhausted;
    private final FlowBudget flows;
    private final Map<Frontend.Key, Map<IpAddress, Bound>> bound = new HashMap<>();
    private final Set<Frontend.Key> held = new HashSet<>();

    /** One socket and the filter that is on it. */
    private record Bound(Listener listener, Optional<List<Cidr>> sources) {}

    FrontendSockets(
            RelayGroup group,
            LocalAddresses localAddresses,
            Supplier<SourceClassifier> classifier,
            Exhaustion exhausted) {
        this.group = group;
        this.localAddresses = localAddresses;
        this.classifier = classifier;
        this.exhausted = exhausted;
        this.flows = new FlowBudget(Math.min(MOST_FLOWS, Descriptors.budget() / 2), exhausted);
    }

    /** Frontends with a source filter. */
    Set<Frontend.Key> filtered() {
        Set<Frontend.Key> out = new HashSet<>();
        bound.forEach((key, sockets) -> {
            if (sockets.values().stream().anyMatch(socket -> socket.sources().isPresent())) {
                out.add(key);
            }
        });
        return out;
    }

    /** Makes the frontend's address local: also without a socket clients must reach us, to be refused. */
    void hold(Frontend.Key key) throws KernelException {
        if (!held.contains(key)) {
            localAddresses.acquire(key.address());
            held.add(key);
        }
    }

    /** Nobody claims the frontend any more: closes its sockets and lets the address go. */
    void release(Frontend.Key key) throws KernelException {
        close(key);
        if (held.remove(key)) {
            localAddresses.release(key.address());
        }
    }

    /** Brings the frontend to exactly these addresses. @param sources who gets an answer; empty: everybody */
    void open(
            Frontend.Key key,
            List<IpAddress> addresses,
            Claim claim,
            ServiceRuntime runtime,
            Optional<List<Cidr>> sources)
            throws KernelException {
        Map<IpAddress, Bound> sockets = bound.computeIfAbsent(key, none -> new LinkedHashMap<>(2));
        for (IpAddress address : Set.copyOf(sockets.keySet())) {
            if (!addresses.contains(address)) {
                close(key, sockets, address);
            }
        }
        List<KernelException> failures = new ArrayList<>(0);
        for (IpAddress address : addresses) {
            Bound now = sockets.get(address);
            try {
                if (now == null) {
                    sockets.put(address, bindOrShare(key, address, claim, runtime, sources));
                } else {
                    now.listener().claim(claim, runtime);
                    if (!now.sources().equals(sources)) {
                        filter(key, now.listener().descriptor(), sources);
                        sockets.put(address, new Bound(now.listener(), sources));
                    }
                }
            } catch (KernelException e) {
                failures.add(e); // the other addresses get theirs
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }

    private Bound bindOrShare(
            Frontend.Key key,
            IpAddress address,
            Claim claim,
            ServiceRuntime runtime,
            Optional<List<Cidr>> sources)
            throws KernelException {
        try {
            return bind(key, address, claim, runtime, sources, false);
        } catch (KernelException e) {
            if (e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            group.barrier(); // one of ours may be closing just now
            boolean shared = sharePort(key, address);
            return bind(key, address, claim, runtime, sources, shared);
        }
    }

    /** One Service's node port may be another's port at a cluster IP. @return whether it is so here */
    private boolean sharePort(Frontend.Key wanted, IpAddress address) throws KernelException {
        boolean shared = false;
        for (Map.Entry<Frontend.Key, Map<IpAddress, Bound>> entry : bound.entrySet()) {
            Frontend.Key key = entry.getKey();
            if (key.port() == wanted.port() && key.protocol() == wanted.protocol()) {
                for (Map.Entry<IpAddress, Bound> socket : entry.getValue().entrySet()) {
                    if (socket.getKey().isUnspecified() != address.isUnspecified()) {
                        socket.getValue().listener().sharePort();
                        shared = true;
                    }
                }
            }
        }
        return shared;
    }

    private Bound bind(
            Frontend.Key key,
            IpAddress address,
            Claim claim,
            ServiceRuntime runtime,
            Optional<List<Cidr>> sources,
            boolean share)
            throws KernelException {
        RelayLoop loop = group.nextLoop();
        boolean tcp = key.protocol() == Protocol.TCP;
        int fd = tcp ? Sockets.tcp(address.family()) : Sockets.udp(address.family());
        try {
            filter(key, fd, sources);
            if (held.contains(key)) {
                // A local route lets packets in; to IPv6 that does not make the address one to
                // bind.
                Sockets.freeBind(fd);
            }
            if (share) {
                Sockets.sharePort(fd);
            }
            if (tcp) {
                TcpListener listener = TcpListener.bind(
                        loop, group::leastLoaded, classifier, exhausted, fd, address, key.port());
                listener.claim(claim, runtime);
                listener.open();
                return new Bound(listener, sources);
            }
            UdpListener listener =
                    UdpListener.bind(loop, classifier, flows, fd, address, key.port());
            listener.claim(claim, runtime);
            listener.open();
            return new Bound(listener, sources);
        } catch (KernelException e) {
            Sockets.close(fd);
            throw e;
        }
    }

    private static void filter(Frontend.Key key, int fd, Optional<List<Cidr>> sources)
            throws KernelException {
        if (sources.isPresent()) {
            Sockets.attachFilter(fd, ClassicBpf.sources(key.address().family(), sources.get()));
        } else {
            Sockets.detachFilter(fd);
        }
    }

    void keepFlowsTo(Frontend.Key key, List<Backend> serving) {
        bound.getOrDefault(key, Map.of())
                .values()
                .forEach(socket -> socket.listener().keepFlowsTo(serving));
    }

    /** The kernel refuses from now on. */
    void close(Frontend.Key key) {
        Map<IpAddress, Bound> sockets = bound.get(key);
        if (sockets != null) {
            for (IpAddress address : Set.copyOf(sockets.keySet())) {
                close(key, sockets, address);
            }
        }
    }

    private void close(Frontend.Key key, Map<IpAddress, Bound> sockets, IpAddress address) {
        sockets.remove(address).listener().close();
        if (sockets.isEmpty()) {
            bound.remove(key);
        }
    }

    /** How many there are. */
    int count() {
        return bound.values().stream().mapToInt(Map::size).sum();
    }

    void closeAll() {
        bound.values()
                .forEach(sockets ->
                        sockets.values().forEach(socket -> socket.listener().close()));
        bound.clear();
    }
}
