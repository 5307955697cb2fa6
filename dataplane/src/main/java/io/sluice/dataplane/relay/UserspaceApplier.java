package io.sluice.dataplane.relay;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.dataplane.apply.Applier;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.FrontendIndex.OwnerChange;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.kernel.KernelException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Opens, directs and closes the sockets of all frontends. State, owned by the conductor's thread; the loops see claims through volatile
 * fields, so a change is in force for every connection accepted after {@link #apply} returns.
 */
public final class UserspaceApplier implements Applier {
    private static final Logger LOG = LoggerFactory.getLogger(UserspaceApplier.class);
    private static final int MOST_PROBLEMS = 50;

    private final RelayConfig config;
    private final RelayGroup group;
    private final LocalAddresses localAddresses;
    private final FrontendSockets sockets;
    private final FrontendIndex index = new FrontendIndex();
    private final Map<ServicePortName, ServiceRuntime> runtimes = new ConcurrentHashMap<>();
    private final Set<Frontend.Key> nodePorts = new HashSet<>();
    private final Set<Frontend.Key> failed = new LinkedHashSet<>();
    private final Exhaustion exhausted;
    private final LongSupplier nanoTime;
    private volatile SourceClassifier classifier;
    private NodeView node;
    private List<IpAddress> interfaces = List.of();
    private boolean closed;

    public UserspaceApplier(RelayConfig config, NodeView node, LongSupplier nanoTime) {
        this.config = config;
        this.node = node;
        this.nanoTime = nanoTime;
        this.exhausted = new Exhaustion(nanoTime);
        this.group = new RelayGroup(config.loops());
        this.localAddresses = new LocalAddresses(config.serviceRanges());
        this.classifier = new SourceClassifier(Set.of(), config.podBlocks(), node);
        this.sockets = new FrontendSockets(group, localAddresses, () -> classifier, exhausted);
    }

    @Override
    public List<String> apply(ProxyImage image, ProxyDelta delta) {
        Set<Frontend.Key> touched = new LinkedHashSet<>(failed);
        for (OwnerChange change : index.apply(delta, LOG::warn)) {
            touched.add(change.key());
        }
        for (ProxyDelta.Change change : delta.changes()) {
            change.after()
                    .ifPresent(port -> runtimes.computeIfAbsent(
                                    change.name(), name -> new ServiceRuntime(nanoTime))
                            .keepOnly(port.endpoints().cluster()));
        }
        List<String> problems = reconcile(touched);
        for (ProxyDelta.Change change : delta.changes()) {
            if (change.after().isEmpty()) {
                runtimes.remove(change.name());
            }
        }
        return problems;
    }

    @Override
    public List<String> onNode(NodeView changed, Collection<IpAddress> interfaceAddresses) {
        node = changed;
        interfaces = List.copyOf(interfaceAddresses);
        List<String> problems = new ArrayList<>();
        try {
            localAddresses.onInterfaces(interfaces);
        } catch (KernelException e) {
            problems.add("userspace: an address the node lost: " + e.getMessage());
        }
        Set<IpAddress> all = new HashSet<>(interfaces);
        all.addAll(changed.addresses());
        SourceClassifier fresh = new SourceClassifier(Set.copyOf(all), config.podBlocks(), changed);
        boolean same = fresh.equals(classifier);
        classifier = fresh;
        Set<Frontend.Key> touched = new LinkedHashSet<>(failed);
        touched.addAll(nodePorts);
        if (!same) {
            touched.addAll(sockets.filtered());
        }
        problems.addAll(reconcile(touched));
        return problems;
    }

    private List<String> reconcile(Set<Frontend.Key> touched) {
        List<String> problems = new ArrayList<>();
        for (Frontend.Key key : touched) {
            Optional<Claim> owner = index.owner(key);
            try {
                reconcile(key, owner);
                failed.remove(key);
            } catch (KernelException e) {
                failed.add(key);
                report(owner, e, problems);
            }
        }
        group.barrier();
        return problems;
    }

    private void reconcile(Frontend.Key key, Optional<Claim> owner) throws KernelException {
        if (owner.isEmpty() || key.protocol() == Protocol.SCTP) {
            nodePorts.remove(key);
            sockets.release(key);
            if (owner.isPresent()) {
                throw new KernelException("relay", key + " (SCTP needs a kernel mode)", 93);
            }
            return;
        }
        Claim claim = owner.get();
        boolean isNodePort = claim.frontend().kind() == Frontend.Kind.NODE_PORT;
        if (isNodePort) {
            nodePorts.add(key);
        } else {
            sockets.hold(key);
        }
        ServiceRuntime runtime = runtimes.get(claim.port().name());
        switch (Admission.of(claim, classifier)) {
            case Admission.Closed closed -> sockets.close(key);
            case Admission.Open open -> {
                List<IpAddress> addresses =
                        isNodePort ? nodePortAddresses(key) : List.of(key.address());
                sockets.open(key, addresses, claim, runtime, open.sources());
                sockets.keepFlowsTo(key, serving(claim));
            }
        }
    }

    /** Where a claim's UDP flows may stay: with any endpoint that serves. */
    private static List<Backend> serving(Claim claim) {
        return claim.port().endpoints().serving();
    }

    private List<IpAddress> nodePortAddresses(Frontend.Key key) {
        IpFamily family = key.address().family();
        return config.nodePortAddresses().matchesAll(family)
                ? List.of(key.address())
                : config.nodePortAddresses().select(family, node, interfaces);
    }

    private void report(Optional<Claim> owner, KernelException e, List<String> problems) {
        if (localAddresses.forbidden().isPresent() && !problems.isEmpty()) {
            return; // one text for all: without the right to make routes no cluster IP works
        }
        if (problems.size() < MOST_PROBLEMS) {
            String who = owner.map(
                            claim -> "Service " + claim.port().name() + ", " + claim.frontend())
                    .orElse("a frontend without Service");
            problems.add("userspace: " + who + ": " + e.getMessage()
                    + "; trying again at the next sync");
        }
    }

    /** Counters of all Service ports there are. Any thread. */
    public Map<ServicePortName, ServiceCounters> counters() {
        Map<ServicePortName, ServiceCounters> out = new LinkedHashMap<>();
        runtimes.forEach((name, runtime) -> out.put(name, runtime.counters()));
        return out;
    }

    /** Open TCP connections. Any thread. */
    public int openConnections() {
        return group.open();
    }

    /** How often accepting paused because descriptors ran out. Any thread. */
    public long exhausted() {
        return exhausted.count();
    }

    @Override
    public void drain(Duration deadline) {
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
        try {
            localAddresses.clear();
        } catch (KernelException e) {
            LOG.warn("userspace: {}; the route stays until the node restarts", e.getMessage());
        }
    }
}
