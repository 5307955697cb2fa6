package io.sluice.dataplane.proxy;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.dataplane.conductor.Conductor;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.iptables.IptablesPlanner;
import io.sluice.iptables.IptablesProgram;
import io.sluice.iptables.IptablesTracer;
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

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
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
            case NFTABLES, IPTABLES -> true;
            case IPVS, USERSPACE -> false;
        };
    }

    /** Why there is nothing to show. */
    static String why(ProxyMode mode) {
        return mode == ProxyMode.USERSPACE
                ? "mode userspace has no rules: the proxy itself carries connections"
                : "rules of mode " + mode.word() + " are not in this build yet";
    }

    /** The program as the kernel should hold it, in the language of the mode's own tool. */
    String text(ProxyMode mode, Conductor.View view) {
        return mode == ProxyMode.IPTABLES
                ? families.stream()
                        .sorted()
                        .map(family -> iptables(family, view).text())
                        .collect(Collectors.joining("\n"))
                : tables(view).stream().map(NftText::of).collect(Collectors.joining("\n"));
    }

    private IptablesProgram iptables(IpFamily family, Conductor.View view) {
        List<ServicePortImage> ports = view.image().ports().stream()
                .filter(port -> port.name().family() == family)
                .sorted(Comparator.comparing(ServicePortImage::name))
                .toList();
        return new IptablesPlanner(family, settings, facts(view), IptablesPlanner.FEW_AT_ONCE)
                .program(ports);
    }

    /**
     * What differs in the kernel: lines with {@code -} are missing there, lines with {@code +} are too many.
     *
     * @throws IOException where it cannot be read
     */
    List<String> differences(ProxyMode mode, Conductor.View view) throws IOException {
        if (mode != ProxyMode.NFTABLES) {
            throw new IOException(
                    "mode " + mode.word()
                            + ": the kernel's rules can be compared in mode nftables alone; iptables-save prints them");
        }
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

    /**
     * Follows the first packet of a connection.
     *
     * @param source who sends it, and from where
     * @throws IOException where the node does not have the address's family
     */
    Trace trace(
            ProxyMode mode,
            Conductor.View view,
            Client source,
            IpAddress to,
            int port,
            Protocol protocol)
            throws IOException {
        if (!families.contains(to.family())) {
            throw new IOException(to.family().text() + " is not in use on this node");
        }
        Packet packet = new Packet(
                source.inInterface(),
                source.address(),
                view.interfaces().contains(source.address()),
                to,
                view.interfaces().contains(to),
                port,
                protocol);
        if (mode == ProxyMode.IPTABLES) {
            // Chance takes many ways here, one jump each; what they come to is the answer.
            return new Trace(IptablesTracer.trace(iptables(to.family(), view), packet), List.of());
        }
        NftTable table = tables(view).stream()
                .filter(each -> each.family() == to.family())
                .findFirst()
                .orElseThrow();
        return NftTracer.trace(table, packet);
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
