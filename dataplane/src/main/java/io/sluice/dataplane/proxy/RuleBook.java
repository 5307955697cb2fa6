package io.sluice.dataplane.proxy;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.dataplane.conductor.Conductor;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.nft.NetlinkNft;
import io.sluice.nft.Element;
import io.sluice.nft.NftPlanner;
import io.sluice.nft.NftTable;
import io.sluice.nft.NftText;
import io.sluice.nft.NftTracer;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.Packet;
import io.sluice.rules.RuleSettings;
import io.sluice.rules.Trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The rules of this node for people: as text, beside what the kernel holds, and as a packet meets them. They are planned anew from
 * what the proxy sees, so that any mode can be asked, whichever runs.
 */
final class RuleBook {
    private static final String ANY_INTERFACE = "eth0";

    private final RuleSettings settings;
    private final Set<IpFamily> families;

    RuleBook(RuleSettings settings, Set<IpFamily> families) {
        this.settings = settings;
        this.families = families;
    }

    /** Whether the kernel has rules in this mode; the others are not in this build, or need none. */
    static boolean has(ProxyMode mode) {
        return switch (mode) {
            case NFTABLES -> true;
            case IPTABLES, IPVS, USERSPACE -> false;
        };
    }

    /** Why there is nothing to show. */
    static String why(ProxyMode mode) {
        return mode == ProxyMode.USERSPACE
                ? "mode userspace has no rules: the proxy itself carries connections"
                : "rules of mode " + mode.word() + " are not in this build yet";
    }

    /** The program as the kernel should hold it, in nft's language. */
    String text(Conductor.View view) {
        return tables(view).stream().map(NftText::of).collect(Collectors.joining("\n"));
    }

    /**
     * What differs in the kernel: lines with {@code -} are missing there, lines with {@code +} are too many.
     *
     * @throws KernelException where it cannot be read
     */
    List<String> differences(Conductor.View view) throws KernelException {
        List<String> out = new ArrayList<>();
        try (NetlinkNft door = NetlinkNft.open()) {
            for (NftTable table : tables(view)) {
                String ip = table.family() == IpFamily.IPV4 ? "ip " : "ip6 ";
                Map<String, Integer> counted = new TreeMap<>(door.census(table.family()));
                if (counted.isEmpty()) {
                    out.add("- " + ip + "the whole table");
                    continue;
                }
                table.chains().forEach(chain -> {
                    int rules = counted.getOrDefault("chain " + chain.name(), 0);
                    if (rules != chain.rules().size()) {
                        out.add("! " + ip + "chain " + chain.name() + ": " + rules
                                + " rules instead of " + chain.rules().size());
                    }
                });
                Set<String> wanted = lines(table.family(), table.elements());
                Set<String> found = lines(table.family(), door.elements(table.family()));
                wanted.stream()
                        .filter(line -> !found.contains(line))
                        .forEach(line -> out.add("- " + ip + line));
                found.stream()
                        .filter(line -> !wanted.contains(line))
                        .forEach(line -> out.add("+ " + ip + line));
            }
        }
        return out;
    }

    private static Set<String> lines(IpFamily family, List<Element> elements) {
        return elements.stream()
                .map(element -> NftText.line(family, element))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private List<NftTable> tables(Conductor.View view) {
        NodeFacts facts = facts(view);
        return families.stream()
                .sorted()
                .map(family -> {
                    NftPlanner planner = new NftPlanner(family, settings, facts, conflict -> {});
                    planner.full(view.image(), facts);
                    return planner.table();
                })
                .toList();
    }

    private static NodeFacts facts(Conductor.View view) {
        return new NodeFacts(
                view.node(), view.interfaces().stream().sorted().toList(), view.serviceRanges());
    }

    /** Follows the first packet of a connection. @param source who sends it, and from where */
    Trace trace(Conductor.View view, Client source, IpAddress to, int port, Protocol protocol) {
        Packet packet = new Packet(
                source.inInterface(),
                source.address(),
                view.interfaces().contains(source.address()),
                to,
                view.interfaces().contains(to),
                port,
                protocol);
        return tables(view).stream()
                .filter(table -> table.family() == to.family())
                .findFirst()
                .map(table -> NftTracer.trace(table, packet))
                .orElseThrow(() -> new IllegalArgumentException(
                        to.family().text() + " is not in use on this node"));
    }

    /** A sender. @param inInterface empty for a process of the node */
    record Client(IpAddress address, String inInterface) {}

    /**
     * Somebody of a kind, or an address.
     *
     * @param from {@code pod}, {@code node}, {@code outside}, or the address of somebody
     * @return empty where the node has nobody like that
     */
    Optional<Client> client(Conductor.View view, String from, IpFamily family) {
        return switch (from) {
            case "node" -> view.node().primary(family).map(address -> new Client(address, ""));
            case "outside" -> Optional.of(new Client(documentation(family), ANY_INTERFACE));
            case "pod" -> pod(family);
            default ->
                IpAddress.parse(from)
                        .filter(address -> address.family() == family)
                        .map(address -> new Client(
                                address, view.interfaces().contains(address) ? "" : ANY_INTERFACE));
        };
    }

    private Optional<Client> pod(IpFamily family) {
        return switch (settings.detector()) {
            case LocalDetector.None none -> Optional.empty();
            case LocalDetector.Source source ->
                source.blocks().stream()
                        .filter(block -> block.family() == family)
                        .findFirst()
                        .map(block -> new Client(second(block.address()), ANY_INTERFACE));
            case LocalDetector.Bridge bridge ->
                Optional.of(new Client(documentation(family), bridge.name()));
            case LocalDetector.Prefix prefix ->
                Optional.of(new Client(documentation(family), prefix.prefix() + "0"));
        };
    }

    private static IpAddress second(IpAddress network) {
        return new IpAddress(network.family(), network.high(), network.low() + 2);
    }

    /** RFC 5737, RFC 3849. */
    private static IpAddress documentation(IpFamily family) {
        return IpAddress.of(family == IpFamily.IPV4 ? "203.0.113.77" : "2001:db8::77");
    }

    /** Where node ports answer, for {@code explain}. */
    NodePortAddresses nodePortAddresses() {
        return settings.nodePortAddresses();
    }
}
