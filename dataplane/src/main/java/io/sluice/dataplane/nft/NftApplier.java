package io.sluice.dataplane.nft;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.apply.Applier;
import io.sluice.dataplane.apply.RuleSyncs;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.nft.NftDoor;
import io.sluice.nft.NftPlanner;
import io.sluice.nft.NftTable;
import io.sluice.nft.Transaction;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The kernel carries connections, by one table per family. The first sync replaces whatever table an earlier process left, in one
 * transaction, so that no packet meets a gap; later ones change elements alone. Nothing is read back but a number that tells whether
 * anybody changed any nftables; only then is ours counted, and written anew where something is missing.
 *
 * <p>Rules stay when the process ends, as kube-proxy's do.
 */
public final class NftApplier implements Applier {
    private static final Logger LOG = LoggerFactory.getLogger(NftApplier.class);
    private static final long LOOK_EVERY = TimeUnit.SECONDS.toNanos(1);

    private final NftDoor door;
    private final RuleSyncs heard;
    private final Consumer<String> resync;
    private final Map<IpFamily, NftPlanner> planners = new EnumMap<>(IpFamily.class);
    private final Set<IpFamily> stale = EnumSet.noneOf(IpFamily.class);
    private final Thread watcher;
    private final RuleSettings settings;
    private NodeFacts facts;
    private boolean known;
    /** Whether somebody else changed something that nobody has looked at yet. */
    private boolean suspect;

    private int generation;
    private volatile boolean closed;

    /**
     * @param families those this node has
     * @param door closed with this
     * @param heard told of each transaction
     * @param resync asks for a call of {@link #apply}
     */
    public NftApplier(
            Set<IpFamily> families,
            RuleSettings settings,
            NodeFacts facts,
            NftDoor door,
            RuleSyncs heard,
            Consumer<String> resync) {
        this.door = door;
        this.heard = heard;
        this.resync = resync;
        this.settings = settings;
        this.facts = facts;
        for (IpFamily family : families) {
            planners.put(family, new NftPlanner(family, settings, facts, LOG::warn));
            stale.add(family);
        }
        this.watcher = Thread.ofPlatform().daemon().name("nftables-watch").start(this::watch);
    }

    @Override
    public synchronized List<String> apply(ProxyImage image, ProxyDelta delta) {
        List<UncheckedIOException> failures = new ArrayList<>();
        planners.forEach((family, planner) -> {
            long start = System.nanoTime();
            boolean full = stale.contains(family);
            Transaction transaction = full ? planner.full(image, facts) : planner.update(delta);
            try {
                commit(family, transaction);
                if (!transaction.isEmpty()) {
                    heard.onSynced(family, full, System.nanoTime() - start);
                }
            } catch (UncheckedIOException e) {
                heard.onFailed(family, full);
                failures.add(e); // the other family has its turn
            }
        });
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return List.of();
    }

    /** @throws UncheckedIOException where the kernel refused it: the family is written anew at the next call */
    private void commit(IpFamily family, Transaction transaction) {
        if (transaction.isEmpty()) {
            return;
        }
        stale.add(family);
        try {
            door.commit(transaction);
        } catch (KernelException e) {
            throw new UncheckedIOException(
                    e.getMessage() + "; nothing changed, a full sync follows", e);
        }
        stale.remove(family);
        count();
    }

    /** One more transaction is ours; any other is somebody else's. */
    private void count() {
        try {
            int now = door.generation();
            if (known && now != generation + 1) {
                LOG.debug("nftables: somebody else changed something meanwhile");
                suspect = true; // until the watcher has counted
            }
            known = true;
            generation = now;
        } catch (KernelException e) {
            LOG.debug("nftables: {}", e.getMessage());
            suspect = true;
        }
    }

    @Override
    public synchronized List<String> onNode(
            NodeView node, Collection<IpAddress> interfaceAddresses) {
        return learn(new NodeFacts(
                node, interfaceAddresses.stream().sorted().toList(), facts.serviceRanges()));
    }

    @Override
    public synchronized List<String> onServiceRanges(List<Cidr> ranges) {
        return learn(new NodeFacts(facts.view(), facts.interfaceAddresses(), ranges));
    }

    private List<String> learn(NodeFacts now) {
        facts = now;
        List<String> problems = new ArrayList<>();
        planners.forEach((family, planner) -> {
            if (stale.contains(family)) {
                return; // the sync that is due begins with what is known then
            }
            Optional<Transaction> transaction = planner.onNode(now);
            if (transaction.isEmpty()) {
                stale.add(family);
                problems.add("nftables: the Service ranges changed; all rules are written anew");
                return;
            }
            try {
                commit(family, transaction.get());
            } catch (UncheckedIOException e) {
                problems.add(e.getMessage());
            }
        });
        return problems;
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(LOOK_EVERY);
            if (!closed) {
                look();
            }
        }
    }

    /** One number where nobody did anything. */
    private void look() {
        List<IpFamily> damaged = new ArrayList<>();
        synchronized (this) {
            if (closed || !stale.isEmpty()) {
                return;
            }
            try {
                int now = door.generation();
                if (known && !suspect && now == generation) {
                    return;
                }
                for (Map.Entry<IpFamily, NftPlanner> planner : planners.entrySet()) {
                    if (!door.census(planner.getKey()).equals(planner.getValue().census())) {
                        damaged.add(planner.getKey());
                    }
                }
                generation = now;
                known = true;
                suspect = false;
            } catch (KernelException e) {
                LOG.warn("nftables cannot be looked at: {}", e.getMessage());
                return;
            }
            stale.addAll(damaged);
        }
        if (!damaged.isEmpty()) {
            resync.accept("nftables: something of ours is missing or not ours in " + damaged
                    + "; somebody else changed it");
        }
    }

    /** What the kernel should hold, by family. */
    public synchronized List<NftTable> tables() {
        return planners.values().stream().map(NftPlanner::table).toList();
    }

    /** By which rules. */
    public RuleSettings settings() {
        return settings;
    }

    /** The kernel goes on carrying connections. */
    @Override
    public void drain(Duration deadline) {
        closed = true;
        LockSupport.unpark(watcher);
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(watcher);
        synchronized (this) {
            door.close();
        }
    }
}
