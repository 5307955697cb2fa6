package io.sluice.iptables;

import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Plans one family: the whole program, and the transactions that lead to it. Pure.
 *
 * @param settings of the node
 * @param facts of the node; the addresses matter where node ports do not answer on all
 * @param atOnce how many Services go into one transaction
 */
public record IptablesPlanner(IpFamily family, RuleSettings settings, NodeFacts facts, int atOnce) {
    /** The nft variant needs more than quadratic time for what is in one transaction. */
    public static final int FEW_AT_ONCE = 250;
    /** The legacy variant copies all rules in every transaction. */
    public static final int ALL_AT_ONCE = Integer.MAX_VALUE;

    /** From here on rules of single endpoints carry no comments, as kube-proxy does it. */
    private static final int MANY_ENDPOINTS = 1_000;

    private static final Comparator<ServicePortImage> BY_NAME =
            Comparator.comparing(ServicePortImage::name);

    /** Chains that all Services share, and what each holds. */
    private record Shared(
            Table table, String chain, Function<ServiceRules, List<Rule>> ofService) {}

    private static final List<Shared> SHARED = List.of(
            new Shared(Table.FILTER, ChainNames.SERVICES, ServiceRules::unserved),
            new Shared(Table.FILTER, ChainNames.EXTERNAL_SERVICES, ServiceRules::unservedOutside),
            new Shared(Table.FILTER, ChainNames.PROXY_FIREWALL, ServiceRules::guarded),
            new Shared(Table.FILTER, ChainNames.NODE_PORTS, ServiceRules::healthPorts),
            new Shared(Table.NAT, ChainNames.SERVICES, ServiceRules::services),
            new Shared(Table.NAT, ChainNames.NODE_PORTS, ServiceRules::nodePorts));

    /** The whole program. @param ports of this family */
    public IptablesProgram program(Collection<ServicePortImage> ports) {
        Map<Table, SortedMap<String, List<Rule>>> chains = new EnumMap<>(Table.class);
        chains.put(Table.FILTER, new TreeMap<>());
        chains.put(Table.NAT, new TreeMap<>());
        boolean comments = commented(ports);
        List<ServiceRules> rules = rules(ports, comments);
        rules.forEach(service -> chains.get(Table.NAT).putAll(service.chains()));
        shared(rules, (table, chain, content) -> chains.get(table).put(chain, content));
        fixed((table, chain, content) -> chains.get(table).put(chain, content));
        return new IptablesProgram(family, chains, StaticRules.jumps(family, settings));
    }

    private List<ServiceRules> rules(Collection<ServicePortImage> ports, boolean comments) {
        return ports.stream()
                .sorted(BY_NAME)
                .map(port -> ServicePlanner.plan(settings, port, comments))
                .toList();
    }

    private static boolean commented(Collection<ServicePortImage> ports) {
        return ports.stream()
                        .mapToInt(port -> port.endpoints().cluster().size())
                        .sum()
                <= MANY_ENDPOINTS;
    }

    /** Takes one chain after the other. */
    private interface Chains {
        void put(Table table, String chain, List<Rule> rules);
    }

    private void shared(List<ServiceRules> services, Chains out) {
        for (Shared shared : SHARED) {
            List<Rule> content = new ArrayList<>();
            services.forEach(service -> content.addAll(shared.ofService().apply(service)));
            if (shared.table() == Table.NAT && shared.chain().equals(ChainNames.SERVICES)) {
                content.addAll(StaticRules.nodePortTail(family, settings, facts));
            }
            out.put(shared.table(), shared.chain(), List.copyOf(content));
        }
    }

    private void fixed(Chains out) {
        out.put(Table.FILTER, ChainNames.FORWARD, StaticRules.forward(settings));
        out.put(Table.NAT, ChainNames.POSTROUTING, StaticRules.postrouting(settings));
        out.put(Table.NAT, ChainNames.MARK_MASQ, StaticRules.markMasquerade(settings));
        if (StaticRules.guardsLoopback(family, settings)) {
            out.put(Table.FILTER, ChainNames.FIREWALL, StaticRules.firewall());
        }
    }

    /**
     * From whatever there is to the whole program, as inputs of {@code iptables-restore --noflush} in order. What is used already stays
     * in use meanwhile; the last one makes the rest live.
     *
     * @param saved what is there
     */
    public List<String> full(Collection<ServicePortImage> ports, SavedRules saved) {
        boolean comments = commented(ports);
        List<ServiceRules> rules = rules(ports, comments);
        List<String> out = new ArrayList<>();
        RestoreText last = new RestoreText();
        for (int from = 0; from < rules.size(); from += Math.min(atOnce, rules.size())) {
            int to = from + Math.min(atOnce, rules.size() - from);
            RestoreText chunk = to == rules.size() && from == 0 ? last : new RestoreText();
            if (from == 0) {
                // Endpoints' chains jump to it.
                chunk.write(Table.NAT, ChainNames.MARK_MASQ, StaticRules.markMasquerade(settings));
            }
            for (ServiceRules service : rules.subList(from, to)) {
                service.chains()
                        .forEach((chain, content) -> chunk.write(Table.NAT, chain, content));
            }
            if (chunk != last) {
                out.add(chunk.text());
            }
        }
        shared(rules, last::write);
        fixed(last::write);
        for (IptablesProgram.Jump jump : StaticRules.jumps(family, settings)) {
            if (!saved.has(jump)) {
                last.insert(jump);
            }
        }
        for (Table table : Table.values()) {
            last.write(table, ChainNames.CANARY, List.of());
        }
        removeStale(rules, saved, last);
        out.add(last.text());
        return out;
    }

    private static void removeStale(List<ServiceRules> rules, SavedRules saved, RestoreText out) {
        Set<String> wanted = new HashSet<>();
        rules.forEach(service -> wanted.addAll(service.chains().keySet()));
        saved.chains().get(Table.NAT).stream()
                .filter(chain -> ChainNames.isPerService(chain) && !wanted.contains(chain))
                .sorted()
                .forEach(chain -> out.remove(Table.NAT, chain));
    }

    /**
     * From what the last success left to what is now: only chains whose rules changed.
     *
     * @param delta changes of this family alone
     * @param ports all of this family, asked for where a chain that all share must be written
     */
    public List<String> partial(
            List<ProxyDelta.Change> delta, Supplier<Collection<ServicePortImage>> ports) {
        if (delta.isEmpty()) {
            return List.of();
        }
        Collection<ServicePortImage> all = ports.get();
        boolean comments = commented(all);
        List<String> out = new ArrayList<>();
        RestoreText text = new RestoreText();
        List<String> gone = new ArrayList<>();
        boolean sharedChanged = false;
        int services = 0;
        for (ProxyDelta.Change change : delta) {
            ServiceRules old = change.before()
                    .map(port -> ServicePlanner.plan(settings, port, comments))
                    .orElse(NOTHING);
            ServiceRules now = change.after()
                    .map(port -> ServicePlanner.plan(settings, port, comments))
                    .orElse(NOTHING);
            SortedMap<String, List<Rule>> before = new TreeMap<>(old.chains());
            for (Map.Entry<String, List<Rule>> chain : now.chains().entrySet()) {
                if (!chain.getValue().equals(before.remove(chain.getKey()))) {
                    text.write(Table.NAT, chain.getKey(), chain.getValue());
                }
            }
            gone.addAll(before.keySet());
            sharedChanged |= !now.sharesTheSame(old);
            if (++services % atOnce == 0 && !text.isEmpty()) {
                out.add(text.text());
                text = new RestoreText();
            }
        }
        if (sharedChanged) {
            shared(rules(all, comments), text::write);
        }
        for (String chain : gone) {
            text.remove(Table.NAT, chain);
        }
        if (!text.isEmpty()) {
            out.add(text.text());
        }
        return out;
    }

    /** Where node ports answer changed. */
    public List<String> addresses(Collection<ServicePortImage> ports) {
        RestoreText text = new RestoreText();
        shared(rules(ports, commented(ports)), text::write);
        return List.of(text.text());
    }

    private static final ServiceRules NOTHING = new ServiceRules(
            new TreeMap<>(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());

    /** Whether an address change concerns the rules. */
    public boolean sameAddresses(NodeFacts others) {
        return StaticRules.nodePortTail(family, settings, facts)
                .equals(StaticRules.nodePortTail(family, settings, others));
    }

    /** What takes everything of ours away, as input of {@code iptables-restore --noflush}; empty where nothing of ours is there. */
    public static String cleanUp(SavedRules saved) {
        return CleanUp.plan(saved);
    }

    /** What a clean-up leaves because chains of others jump to it, for people. */
    public static List<String> leftToOthers(SavedRules saved) {
        return CleanUp.leftToOthers(saved);
    }
}
