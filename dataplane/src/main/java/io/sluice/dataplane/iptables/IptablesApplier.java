package io.sluice.dataplane.iptables;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.apply.Applier;
import io.sluice.dataplane.apply.RuleSyncs;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.iptables.IptablesPlanner;
import io.sluice.iptables.SavedRules;
import io.sluice.iptables.Table;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.nft.NetlinkNft;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * iptables carry connections. The first sync takes over what an earlier process left; later ones write the chains whose rules changed.
 * An empty chain in each table tells whether somebody flushed it. Guarded by itself: the conductor's thread syncs, a thread of its own
 * looks after the chains.
 *
 * <p>Rules stay when the process ends, as kube-proxy's do.
 */
public final class IptablesApplier implements Applier {
    private static final Logger LOG = LoggerFactory.getLogger(IptablesApplier.class);
    private static final long LOOK_EVERY = TimeUnit.SECONDS.toNanos(1);
    private static final String CANARY = "KUBE-PROXY-CANARY";
    private static final Path ROUTE_LOCALNET =
            Path.of("/proc/sys/net/ipv4/conf/all/route_localnet");

    private final Map<IpFamily, Family> families = new EnumMap<>(IpFamily.class);
    private final RuleSettings settings;
    private final RuleSyncs heard;
    private final Consumer<String> resync;
    private final Duration legacyCheck;
    private final Variant variant;
    private final Thread watcher;
    private NodeFacts facts;
    private Optional<ProxyImage> carried = Optional.empty();
    private volatile boolean closed;

    /** One family's tables. */
    private static final class Family {
        private final Tool tool;
        private IptablesPlanner planner;
        private boolean stale = true;

        Family(Tool tool, IptablesPlanner planner) {
            this.tool = tool;
            this.planner = planner;
        }
    }

    /**
     * @param wanted those this node has; one without tools is left out, IPv4 excepted
     * @param legacyCheck how often legacy tables are looked at, which costs more the more rules there are
     * @param heard told of each sync
     * @param resync asks for a call of {@link #apply}
     */
    public IptablesApplier(
            Set<IpFamily> wanted,
            Variant variant,
            RuleSettings settings,
            NodeFacts facts,
            Duration legacyCheck,
            RuleSyncs heard,
            Consumer<String> resync) {
        this.variant = variant;
        this.settings = settings;
        this.facts = facts;
        this.legacyCheck = legacyCheck;
        this.heard = heard;
        this.resync = resync;
        for (IpFamily family : wanted) {
            if (variant.isInstalled(family)) {
                families.put(family, new Family(new Tool(family, variant), planner(family)));
            } else {
                LOG.warn(
                        "{} is not on the path: no {} Services in mode iptables",
                        variant.command(family, "restore"),
                        family.text());
            }
        }
        LOG.info("iptables: variant {}", variant);
        this.watcher = Thread.ofPlatform().daemon().name("iptables-watch").start(this::watch);
    }

    private IptablesPlanner planner(IpFamily family) {
        int atOnce = variant == Variant.LEGACY
                ? IptablesPlanner.ALL_AT_ONCE
                : IptablesPlanner.FEW_AT_ONCE;
        return new IptablesPlanner(family, settings, facts, atOnce);
    }

    @Override
    public synchronized List<String> apply(ProxyImage image, ProxyDelta delta) {
        carried = Optional.of(image);
        List<String> problems = new ArrayList<>();
        List<IOException> failures = new ArrayList<>();
        families.forEach((family, tables) -> {
            boolean full = tables.stale;
            long start = System.nanoTime();
            try {
                if (sync(family, tables, image, delta)) {
                    heard.onSynced(family, full, System.nanoTime() - start);
                }
            } catch (IOException e) {
                heard.onFailed(family, full);
                failures.add(e);
            }
        });
        if (failures.isEmpty()) {
            letLoopbackIn(problems);
        }
        if (!failures.isEmpty()) {
            throw new UncheckedIOException(
                    failures.getFirst().getMessage() + "; a full sync follows",
                    failures.getFirst());
        }
        return problems;
    }

    /** @return whether there was anything to do */
    private static boolean sync(IpFamily family, Family tables, ProxyImage image, ProxyDelta delta)
            throws IOException {
        List<ProxyDelta.Change> changes = delta.changes().stream()
                .filter(change -> change.name().family() == family)
                .toList();
        List<String> inputs = tables.stale
                ? tables.planner.full(ports(image, family), SavedRules.parse(tables.tool.save()))
                : tables.planner.partial(changes, () -> ports(image, family));
        restore(tables, inputs);
        return !inputs.isEmpty();
    }

    private static void restore(Family tables, List<String> inputs) throws IOException {
        if (inputs.isEmpty()) {
            return;
        }
        tables.stale = true;
        for (String input : inputs) {
            tables.tool.restore(input);
        }
        tables.stale = false;
    }

    private static Collection<ServicePortImage> ports(ProxyImage image, IpFamily family) {
        return image.ports().stream()
                .filter(port -> port.name().family() == family)
                .toList();
    }

    private boolean answersOnLoopback() {
        NodePortAddresses where = settings.nodePortAddresses();
        return settings.localhostNodePorts()
                && (where.matchesAll(IpFamily.IPV4)
                        || where
                                .select(IpFamily.IPV4, facts.view(), facts.interfaceAddresses())
                                .stream()
                                .anyMatch(IpAddress::isLoopback));
    }

    /** Node ports on 127.0.0.1 need the kernel to route from there; KUBE-FIREWALL keeps neighbours out. */
    private void letLoopbackIn(List<String> problems) {
        if (!families.containsKey(IpFamily.IPV4) || !answersOnLoopback()) {
            return;
        }
        try {
            if (!Files.readString(ROUTE_LOCALNET).strip().equals("1")) {
                Files.writeString(ROUTE_LOCALNET, "1");
            }
        } catch (IOException e) {
            problems.add("iptables: node ports on 127.0.0.1 need " + ROUTE_LOCALNET + " to be 1: "
                    + e.getMessage() + "; set it, or use --iptables-localhost-nodeports=false");
        }
    }

    @Override
    public synchronized List<String> onNode(
            NodeView node, Collection<IpAddress> interfaceAddresses) {
        facts = new NodeFacts(
                node, interfaceAddresses.stream().sorted().toList(), facts.serviceRanges());
        List<String> problems = new ArrayList<>();
        families.forEach((family, tables) -> {
            boolean same = tables.planner.sameAddresses(facts);
            tables.planner = planner(family);
            if (!same && !tables.stale && carried.isPresent()) {
                try {
                    restore(tables, tables.planner.addresses(ports(carried.get(), family)));
                } catch (IOException e) {
                    problems.add(e.getMessage() + "; a full sync follows");
                }
            }
        });
        return problems;
    }

    private void watch() {
        OptionalInt seen = generation();
        long looked = System.nanoTime();
        while (!closed) {
            LockSupport.parkNanos(LOOK_EVERY);
            OptionalInt now = generation();
            // Without a number that tells of changes, time alone does.
            boolean due = now.isPresent()
                    ? !now.equals(seen)
                    : System.nanoTime() - looked >= legacyCheck.toNanos();
            if (due && !closed) {
                seen = now;
                looked = System.nanoTime();
                lookAfterChains();
            }
        }
    }

    /** Counts the changes of nftables, which the rules of the nft variant are; empty for the legacy variant, and where it cannot be read. */
    private OptionalInt generation() {
        if (variant == Variant.LEGACY) {
            return OptionalInt.empty();
        }
        try (NetlinkNft nftables = NetlinkNft.open()) {
            return OptionalInt.of(nftables.generation());
        } catch (KernelException e) {
            LOG.debug("iptables: {}", e.getMessage());
            return OptionalInt.empty();
        }
    }

    private synchronized void lookAfterChains() {
        families.forEach((family, tables) -> {
            if (tables.stale) {
                return; // a sync is due
            }
            try {
                for (Table table : Table.values()) {
                    if (!tables.tool.hasChain(table, CANARY)) {
                        tables.stale = true;
                        resync.accept(
                                "somebody flushed the " + family.text() + " table " + table.text());
                        return;
                    }
                }
            } catch (IOException e) {
                LOG.warn("iptables: cannot look after chains: {}", e.getMessage());
            }
        });
    }

    /** Rules have no connections of their own. */
    @Override
    public void drain(Duration deadline) {}

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(watcher);
    }
}
