package io.sluice.nft;

import static io.sluice.nft.Operand.Packet.DESTINATION_ADDRESS;
import static io.sluice.nft.Operand.Packet.DESTINATION_PORT;
import static io.sluice.nft.Operand.Packet.ORIGINAL_ADDRESS;
import static io.sluice.nft.Operand.Packet.ORIGINAL_PORT;
import static io.sluice.nft.Operand.Packet.PROTOCOL;
import static io.sluice.nft.Operand.Packet.SOURCE_ADDRESS;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;
import io.sluice.nft.Chain.Hook;
import io.sluice.nft.Chain.Point;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Chains, rules and sets of one family. They depend on the node and on which numbers of endpoints and which affinity time-outs occur,
 * never on how many Services there are.
 *
 * <pre>
 *   prerouting, output  -110  firewall-check      source ranges of load-balancer addresses
 *   prerouting, output  -100  services            marks, then sends a connection to an endpoint
 *   input, forward, output 0  endpoints-check     refuses or drops what was not sent on; affinity remembers what was
 *   forward, output        0  cluster-ips-check   refuses ports no Service has, drops addresses nobody has
 *   postrouting          100  masquerading        as marked, and where an endpoint met itself
 * </pre>
 *
 * The hooks' priorities are kube-proxy 1.36's, so that other software's rules stand to ours as to its. The table has a name of its own:
 * kube-proxy's, {@code kube-proxy}, would be flushed by one that still runs.
 */
public final class NftProgram {
    public static final String TABLE = "sluice";

    static final String CLUSTER_IPS = "cluster-ips";
    static final String FRONTENDS = "frontends";
    static final String MASQUERADED = "masqueraded";
    static final String NEAR = "near";
    static final String NO_ENDPOINTS = "no-endpoints";
    static final String NO_LOCAL_ENDPOINTS = "no-local-endpoints";
    static final String RESTRICTED = "restricted";
    static final String ALLOWED_SOURCES = "allowed-sources";
    static final String HAIRPIN = "hairpin";
    static final String STICKY = "sticky";
    static final String NEAR_STICKY = "near-sticky";

    static final String SERVICES = "services";
    static final String NEAR_SERVICES = "near-services";
    static final String AFFINITY = "affinity";

    private static final int BEFORE_DNAT = -110;
    private static final int DNAT = -100;
    private static final int FILTER = 0;
    private static final int SNAT = 100;

    private static final List<Operand> FRONTEND =
            List.of(DESTINATION_ADDRESS, PROTOCOL, DESTINATION_PORT);
    private static final List<Operand> ORIGINAL_FRONTEND =
            List.of(ORIGINAL_ADDRESS, PROTOCOL, ORIGINAL_PORT);

    private final IpFamily family;
    private final RuleSettings settings;
    private final NodeFacts facts;

    NftProgram(IpFamily family, RuleSettings settings, NodeFacts facts) {
        this.family = family;
        this.settings = settings;
        this.facts = facts;
    }

    /** Map from a frontend and a number below n to an endpoint. */
    static SetSpec endpoints(int n) {
        return endpointMap("endpoints-" + n);
    }

    /** As {@link #endpoints}, for clients on this node of Services whose policy binds only others. */
    static SetSpec nearEndpoints(int n) {
        return endpointMap("near-endpoints-" + n);
    }

    private static SetSpec endpointMap(String name) {
        return new SetSpec(
                name,
                List.of(Field.ADDRESS, Field.PROTOCOL, Field.PORT, Field.NUMBER),
                List.of(Field.ADDRESS, Field.PORT),
                false,
                0);
    }

    /** Map from a frontend to its Service port's number. */
    static SetSpec affinityServices(int seconds) {
        return new SetSpec(
                "affinity-services-" + seconds,
                List.of(Field.ADDRESS, Field.PROTOCOL, Field.PORT),
                List.of(Field.NUMBER),
                false,
                0);
    }

    /** Map from a client and a Service port's number to where it was sent. */
    static SetSpec affinityClients(int seconds) {
        return new SetSpec(
                "affinity-clients-" + seconds,
                List.of(Field.ADDRESS, Field.NUMBER),
                List.of(Field.ADDRESS, Field.PORT),
                false,
                seconds);
    }

    /** Sets that are always there. */
    static List<SetSpec> sets() {
        Field a = Field.ADDRESS;
        Field p = Field.PROTOCOL;
        Field n = Field.PORT;
        return List.of(
                SetSpec.set(CLUSTER_IPS, a),
                SetSpec.set(FRONTENDS, a, p, n),
                SetSpec.set(MASQUERADED, a, p, n),
                SetSpec.set(NEAR, a, p, n),
                SetSpec.set(NO_ENDPOINTS, a, p, n),
                SetSpec.set(NO_LOCAL_ENDPOINTS, a, p, n),
                SetSpec.set(RESTRICTED, a, p, n),
                new SetSpec(ALLOWED_SOURCES, List.of(a, p, n, a), List.of(), true, 0),
                SetSpec.set(HAIRPIN, a, a, p, n),
                SetSpec.set(STICKY, a, n, a, p, n),
                SetSpec.set(NEAR_STICKY, a, n, a, p, n));
    }

    /** What a name stands for. @throws IllegalArgumentException where no set of ours is called so */
    static SetSpec spec(String name) {
        int dash = name.lastIndexOf('-');
        String number = name.substring(dash + 1);
        if (!number.isEmpty() && number.chars().allMatch(Character::isDigit)) {
            int n = Integer.parseInt(number);
            switch (name.substring(0, dash)) {
                case "endpoints" -> {
                    return endpoints(n);
                }
                case "near-endpoints" -> {
                    return nearEndpoints(n);
                }
                case "affinity-services" -> {
                    return affinityServices(n);
                }
                case "affinity-clients" -> {
                    return affinityClients(n);
                }
                default -> {}
            }
        }
        return sets().stream()
                .filter(set -> set.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no set is called " + name));
    }

    /** All chains, those that others lead to first. */
    List<Chain> chains(
            SortedSet<Integer> counts, SortedSet<Integer> nearCounts, SortedSet<Integer> timeouts) {
        return List.of(
                chain("firewall-check", firewallCheck()),
                chain(NEAR_SERVICES, nearServices(nearCounts, timeouts)),
                chain(SERVICES, services(counts, timeouts)),
                chain("endpoints-check", endpointsCheck()),
                chain("cluster-ips-check", clusterIpsCheck()),
                chain(AFFINITY, affinity(timeouts)),
                chain("masquerading", masquerading()),
                base(
                        "filter-prerouting-pre-dnat",
                        false,
                        Point.PREROUTING,
                        BEFORE_DNAT,
                        newTo("firewall-check")),
                base(
                        "filter-output-pre-dnat",
                        false,
                        Point.OUTPUT,
                        BEFORE_DNAT,
                        newTo("firewall-check")),
                base("nat-prerouting", true, Point.PREROUTING, DNAT, toServices()),
                base("nat-output", true, Point.OUTPUT, DNAT, toServices()),
                base(
                        "filter-input",
                        false,
                        Point.INPUT,
                        FILTER,
                        newTo("endpoints-check"),
                        remember()),
                base(
                        "filter-forward",
                        false,
                        Point.FORWARD,
                        FILTER,
                        newTo("endpoints-check"),
                        newTo("cluster-ips-check"),
                        remember()),
                base(
                        "filter-output",
                        false,
                        Point.OUTPUT,
                        FILTER,
                        newTo("endpoints-check"),
                        newTo("cluster-ips-check"),
                        remember()),
                base(
                        "nat-postrouting",
                        true,
                        Point.POSTROUTING,
                        SNAT,
                        Rule.of(new Statement.Jump("masquerading"))));
    }

    private static Chain chain(String name, List<Rule> rules) {
        return new Chain(name, Optional.empty(), rules);
    }

    private static Chain base(String name, boolean nat, Point point, int priority, Rule... rules) {
        return new Chain(name, Optional.of(new Hook(nat, point, priority)), List.of(rules));
    }

    private static Rule newTo(String chain) {
        return Rule.of(new Statement.NewConnection(), new Statement.Jump(chain));
    }

    private static Rule toServices() {
        return Rule.of(new Statement.In(FRONTEND, FRONTENDS, false), new Statement.Goto(SERVICES));
    }

    private static Rule remember() {
        return Rule.of(
                new Statement.NewConnection(),
                new Statement.Translated(),
                new Statement.Jump(AFFINITY));
    }

    private static List<Rule> firewallCheck() {
        return List.of(Rule.of(
                new Statement.In(FRONTEND, RESTRICTED, false),
                new Statement.In(plus(FRONTEND, SOURCE_ADDRESS), ALLOWED_SOURCES, true),
                new Statement.Drop()));
    }

    List<Rule> services(SortedSet<Integer> counts, SortedSet<Integer> timeouts) {
        List<Rule> out = new ArrayList<>();
        Statement mark = new Statement.SetMark(settings.mark());
        Statement toClusterIp = new Statement.In(List.of(DESTINATION_ADDRESS), CLUSTER_IPS, false);
        if (settings.masqueradeAll()) {
            out.add(Rule.of(toClusterIp, mark));
        } else {
            pod(true).ifPresent(outsider -> out.add(Rule.of(toClusterIp, outsider, mark)));
        }
        out.add(Rule.of(new Statement.In(FRONTEND, MASQUERADED, false), mark));
        Statement near = new Statement.In(FRONTEND, NEAR, false);
        Statement toNear = new Statement.Goto(NEAR_SERVICES);
        pod(false).ifPresent(pod -> out.add(Rule.of(pod, near, toNear)));
        out.add(Rule.of(new Statement.SourceLocal(), near, mark, toNear));
        out.addAll(choose(timeouts, STICKY));
        counts.forEach(n -> out.add(chooseOf(n, endpoints(n))));
        return out;
    }

    static List<Rule> nearServices(SortedSet<Integer> counts, SortedSet<Integer> timeouts) {
        List<Rule> out = new ArrayList<>(choose(timeouts, NEAR_STICKY));
        counts.forEach(n -> out.add(chooseOf(n, nearEndpoints(n))));
        return out;
    }

    private static List<Rule> choose(SortedSet<Integer> timeouts, String alive) {
        return timeouts.stream()
                .map(seconds -> Rule.of(new Statement.TranslateAgain(
                        List.of(
                                SOURCE_ADDRESS,
                                new Operand.Mapped(
                                        FRONTEND, affinityServices(seconds).name())),
                        affinityClients(seconds).name(),
                        FRONTEND,
                        alive)))
                .toList();
    }

    private static Rule chooseOf(int n, SetSpec map) {
        return Rule.of(new Statement.Translate(plus(FRONTEND, new Operand.Random(n)), map.name()));
    }

    static List<Rule> affinity(SortedSet<Integer> timeouts) {
        return timeouts.stream()
                .map(seconds -> Rule.of(new Statement.Remember(
                        List.of(
                                SOURCE_ADDRESS,
                                new Operand.Mapped(
                                        ORIGINAL_FRONTEND,
                                        affinityServices(seconds).name())),
                        List.of(DESTINATION_ADDRESS, DESTINATION_PORT),
                        affinityClients(seconds).name(),
                        seconds)))
                .toList();
    }

    private static List<Rule> endpointsCheck() {
        return List.of(
                Rule.of(new Statement.In(FRONTEND, NO_ENDPOINTS, false), new Statement.Reject()),
                Rule.of(
                        new Statement.In(FRONTEND, NO_LOCAL_ENDPOINTS, false),
                        new Statement.Drop()));
    }

    private List<Rule> clusterIpsCheck() {
        List<Rule> out = new ArrayList<>();
        out.add(Rule.of(
                new Statement.In(List.of(DESTINATION_ADDRESS), CLUSTER_IPS, false),
                new Statement.Reject()));
        for (Cidr range : facts.serviceRanges()) {
            if (range.family() == family) {
                out.add(Rule.of(new Statement.Block(true, range, false), new Statement.Drop()));
            }
        }
        return out;
    }

    private List<Rule> masquerading() {
        return List.of(
                Rule.of(
                        new Statement.Marked(settings.mark()),
                        new Statement.ToggleMark(settings.mark()),
                        new Statement.Masquerade()),
                Rule.of(
                        new Statement.Translated(),
                        new Statement.In(
                                List.of(
                                        SOURCE_ADDRESS,
                                        DESTINATION_ADDRESS,
                                        PROTOCOL,
                                        DESTINATION_PORT),
                                HAIRPIN,
                                false),
                        new Statement.Masquerade()));
    }

    /** Whether the client is a pod of this node; empty where nothing tells. */
    private Optional<Statement> pod(boolean negated) {
        return switch (settings.detector()) {
            case LocalDetector.None none -> Optional.empty();
            case LocalDetector.Source source ->
                source.blocks().stream()
                        .filter(block -> block.family() == family)
                        .findFirst()
                        .map(block -> new Statement.Block(false, block, negated));
            case LocalDetector.Bridge bridge ->
                Optional.of(new Statement.InInterface(bridge.name(), false, negated));
            case LocalDetector.Prefix prefix ->
                Optional.of(new Statement.InInterface(prefix.prefix(), true, negated));
        };
    }

    private static List<Operand> plus(List<Operand> key, Operand last) {
        List<Operand> out = new ArrayList<>(key);
        out.add(last);
        return List.copyOf(out);
    }
}
