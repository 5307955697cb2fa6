package io.sluice.dataplane.relay;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.dataplane.apply.Applier;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.FrontendIndex.OwnerChange;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.kernel.KernelException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Another applier, whose rules carry everything but node ports on 127.0.0.1 and ::1: those are relayed here. The kernel translates
 * packets from loopback addresses only with {@code route_localnet}, which opens the node's loopback to its neighbours, and for IPv6 not
 * at all. TCP alone. State, owned by the conductor's thread.
 */
public final class LocalhostNodePorts implements Applier {
    private static final IpAddress V4 = IpAddress.of("127.0.0.1");
    private static final IpAddress V6 = IpAddress.of("::1");
    private static final int LOOPS = 1;
    private static final int MOST_PROBLEMS = 50;

    private final Applier rules;
    private final Set<IpFamily> families;
    private final RelayGroup group;
    private final FrontendSockets sockets;
    private final FrontendIndex index = new FrontendIndex();
    private final Map<ServicePortName, ServiceRuntime> runtimes = new HashMap<>();
    private final Set<Frontend.Key> failed = new LinkedHashSet<>();
    private final LongSupplier nanoTime;
    private volatile SourceClassifier classifier;
    private volatile int listeners;
    private boolean closed;

    /**
     * @param rules closed with this
     * @param families whose node ports are relayed
     */
    public LocalhostNodePorts(
            Applier rules, Set<IpFamily> families, NodeView node, LongSupplier nanoTime) {
        this.rules = rules;
        this.families = Set.copyOf(families);
        this.nanoTime = nanoTime;
        this.group = new RelayGroup(LOOPS);
        this.classifier = classifier(node, List.of());
        this.sockets = new FrontendSockets(
                group, new LocalAddresses(List.of()), () -> classifier, new Exhaustion(nanoTime));
    }

    /** Whether node ports answer on loopback too: where only the primary address is asked for, they do. */
    public static boolean answersOn(NodePortAddresses addresses, IpFamily family) {
        return addresses.primary()
                || addresses.matchesAll(family)
                || addresses.blocks().stream().anyMatch(block -> block.contains(loopback(family)));
    }

    /** No pods: they cannot knock at the node's loopback. */
    private static SourceClassifier classifier(NodeView node, Collection<IpAddress> interfaces) {
        Set<IpAddress> all = new HashSet<>(interfaces);
        all.addAll(node.addresses());
        return new SourceClassifier(Set.copyOf(all), List.of(), node);
    }

    private static IpAddress loopback(IpFamily family) {
        return switch (family) {
            case IPV4 -> V4;
            case IPV6 -> V6;
        };
    }

    @Override
    public List<String> apply(ProxyImage image, ProxyDelta delta) {
        List<String> problems = new ArrayList<>(rules.apply(image, delta));
        List<ProxyDelta.Change> changes = delta.changes().stream()
                .filter(change -> relayed(change.before()) || relayed(change.after()))
                .toList();
        Set<Frontend.Key> touched = new LinkedHashSet<>(failed);
        // The rules have told of conflicts already.
        for (OwnerChange change : index.apply(new ProxyDelta(changes, List.of()), told -> {})) {
            if (change.key().address().isUnspecified()) {
                touched.add(change.key());
            }
        }
        for (ProxyDelta.Change change : changes) {
            change.after()
                    .filter(port -> port.nodePort() != 0)
                    .ifPresentOrElse(
                            port -> runtimes.computeIfAbsent(
                                            change.name(), name -> new ServiceRuntime(nanoTime))
                                    .keepOnly(port.endpoints().cluster()),
                            () -> runtimes.remove(change.name()));
        }
        problems.addAll(reconcile(touched));
        return problems;
    }

    private boolean relayed(Optional<ServicePortImage> port) {
        return port.filter(found -> found.nodePort() != 0
                        && found.name().protocol() == Protocol.TCP
                        && families.contains(found.name().family()))
                .isPresent();
    }

    private List<String> reconcile(Set<Frontend.Key> touched) {
        if (touched.isEmpty()) {
            return List.of();
        }
        List<String> problems = new ArrayList<>();
        for (Frontend.Key key : touched) {
            Optional<Claim> owner = index.owner(key);
            try {
                reconcile(key, owner);
                failed.remove(key);
            } catch (KernelException e) {
                failed.add(key);
                if (problems.size() < MOST_PROBLEMS) {
                    problems.add(
                            "localhost: " + who(owner) + ": " + e.getMessage()
                                    + "; other addresses of the node answer; trying again at the next sync");
                }
            }
        }
        group.barrier();
        listeners = sockets.count();
        return problems;
    }

    private void reconcile(Frontend.Key key, Optional<Claim> owner) throws KernelException {
        if (owner.isEmpty()) {
            sockets.close(key);
            return;
        }
        Claim claim = owner.get();
        switch (Admission.of(claim, classifier)) {
            case Admission.Closed nobody -> sockets.close(key);
            case Admission.Open open ->
                // Whom a policy leaves out is off the node, and so cannot knock here.
                sockets.open(
                        key,
                        List.of(loopback(key.address().family())),
                        claim,
                        runtimes.get(claim.port().name()),
                        Optional.empty());
        }
    }

    private static String who(Optional<Claim> owner) {
        return owner.map(claim -> "Service " + claim.port().name() + ", " + claim.frontend())
                .orElse("a node port without Service");
    }

    @Override
    public List<String> onNode(NodeView node, Collection<IpAddress> interfaceAddresses) {
        List<String> problems = new ArrayList<>(rules.onNode(node, interfaceAddresses));
        classifier = classifier(node, interfaceAddresses);
        problems.addAll(reconcile(new LinkedHashSet<>(failed)));
        return problems;
    }

    @Override
    public List<String> onServiceRanges(List<Cidr> ranges) {
        return rules.onServiceRanges(ranges);
    }

    /** Sockets that listen. Any thread. */
    public int listeners() {
        return listeners;
    }

    /** Open connections that are relayed. Any thread. */
    public int openConnections() {
        return group.open();
    }

    @Override
    public void drain(Duration deadline) {
        rules.drain(deadline);
        sockets.closeAll();
        group.barrier();
        group.awaitIdle(deadline);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        sockets.closeAll();
        group.close();
        rules.close();
    }
}
