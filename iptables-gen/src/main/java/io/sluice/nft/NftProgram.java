package io.sluice.nft;

import static io.sluice.nft.Operand.Packet.DESTINATION_ADDRESS;
import static io.sluice.nft.Operand.Packet.DESTINATION_PORT;
import static io.sluice.nft.Operand.Packet.PRIORITY;
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
 *   input, forward, output 0  endpoints-check     refuses or drops what was not sent on
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
    /** Map from a frontend and an endpoint's number to the endpoint, while it is one. */
    static final String STICKY = "sticky-endpoints";

    static final String NEAR_STICKY = "near-sticky-endpoints";

    static final String SERVICES = "services";
    static final String NEAR_SERVICES = "near-services";

    private static final int BEFORE_DNAT = -110;
    private static final int DNAT = -100;
    private static final int FILTER = 0;
    private static final int SNAT = 100;

    private static final List<Operand> FRONTEND =
            List.of(DESTINATION_ADDRESS, PROTOCOL, DESTINATION_PORT);

    private static final List<Operand> CLIENT =
            List.of(SOURCE_ADDRESS, DESTINATION_ADDRESS, PROTOCOL, DESTINATION_PORT);

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

    /** Frontends with session affinity of so long. */
    static SetSpec affinity(int seconds) {
        return SetSpec.set("affinity-" + seconds, Field.ADDRESS, Field.PROTOCOL, Field.PORT);
    }

    /** Map from a client and a frontend to the number of the endpoint to which it was sent. */
    static SetSpec affinityClients(int seconds) {
        return new SetSpec(
                "affinity-clients-" + seconds,
                List.of(Field.ADDRESS, Field.ADDRESS, Field.PROTOCOL, Field.PORT),
                List.of(Field.NUMBER),
                false,
                seconds);
    }

    /** As {@link #endpoints}, for frontends with session affinity: to an endpoint's number. */
    static SetSpec sticky(int n) {
        return numberMap("sticky-" + n);
    }

    static SetSpec nearSticky(int n) {
        return numberMap("near-sticky-" + n);
    }

    private static SetSpec numberMap(String name) {
        return new SetSpec(
                name,
                List.of(Field.ADDRESS, Field.PROTOCOL, Field.PORT, Field.NUMBER),
                List.of(Field.NUMBER),
                false,
                0);
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
                endpointMap(STICKY),
                endpointMap(NEAR_STICKY));
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
                case "affinity" -> {
                    return affinity(n);
                }
                case "sticky" -> {
                    return sticky(n);
                }
                case "near-sticky" -> {
                    return nearSticky(n);
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

    /**
     * What occurs, on which rules depend.
     *
     * @param counts numbers of endpoints of frontends without session affinity
     * @param near the same for clients on this node, where they have other endpoints than those off it
     * @param sticky numbers of endpoints of frontends with session affinity
     * @param nearSticky the same for clients on this node
     * @param timeouts of session affinity, in seconds
     */
    record Shape(
            SortedSet<Integer> counts,
            SortedSet<Integer> near,
            SortedSet<Integer> sticky,
            SortedSet<Integer> nearSticky,
            SortedSet<Integer> timeouts) {

        /** Sets that are there because of it. */
        List<SetSpec> sets() {
            List<SetSpec> out = new ArrayList<>();
            counts.forEach(n -> out.add(endpoints(n)));
            near.forEach(n -> out.add(nearEndpoints(n)));
            sticky.forEach(n -> out.add(NftProgram.sticky(n)));
            nearSticky.forEach(n -> out.add(NftProgram.nearSticky(n)));
            timeouts.forEach(seconds -> {
                out.add(affinity(seconds));
                out.add(affinityClients(seconds));
            });
            return out;
        }
    }

    /** All chains, those that others lead to first. */
    List<Chain> chains(Shape shape) {
        return List.of(
                chain("firewall-check", firewallCheck()),
                chain(NEAR_SERVICES, nearServices(shape)),
                chain(SERVICES, services(shape)),
                chain("endpoints-check", endpointsCheck()),
                chain("cluster-ips-check", clusterIpsCheck()),
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
                base("filter-input", false, Point.INPUT, FILTER, newTo("endpoints-check")),
                base(
                        "filter-forward",
                        false,
                        Point.FORWARD,
                        FILTER,
                        newTo("endpoints-check"),
                        newTo("cluster-ips-check")),
                base(
                        "filter-output",
                        false,
                        Point.OUTPUT,
                        FILTER,
                        newTo("endpoints-check"),
                        newTo("cluster-ips-check")),
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

    private static List<Rule> firewallCheck() {
        return List.of(Rule.of(
                new Statement.In(FRONTEND, RESTRICTED, false),
                new Statement.In(plus(FRONTEND, SOURCE_ADDRESS), ALLOWED_SOURCES, true),
                new Statement.Drop()));
    }

    private List<Rule> services(Shape shape) {
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
        for (int seconds : shape.timeouts()) {
            out.add(again(seconds, STICKY));
            shape.sticky().forEach(n -> out.add(first(seconds, n, sticky(n), STICKY)));
        }
        shape.counts().forEach(n -> out.add(choose(n, endpoints(n))));
        return out;
    }

    private static List<Rule> nearServices(Shape shape) {
        List<Rule> out = new ArrayList<>();
        for (int seconds : shape.timeouts()) {
            out.add(again(seconds, NEAR_STICKY));
            shape.nearSticky().forEach(n -> out.add(first(seconds, n, nearSticky(n), NEAR_STICKY)));
        }
        shape.near().forEach(n -> out.add(choose(n, nearEndpoints(n))));
        return out;
    }

    private static Rule choose(int n, SetSpec map) {
        return Rule.of(new Statement.Translate(plus(FRONTEND, new Operand.Random(n)), map.name()));
    }

    /** A client that was here before, and whose endpoint still is one. */
    private static Rule again(int seconds, String endpoints) {
        String clients = affinityClients(seconds).name();
        return Rule.of(
                new Statement.In(FRONTEND, affinity(seconds).name(), false),
                new Statement.Pick(CLIENT, clients),
                new Statement.Remember(CLIENT, clients, seconds),
                new Statement.Translate(plus(FRONTEND, PRIORITY), endpoints));
    }

    /** Any other. */
    private static Rule first(int seconds, int n, SetSpec numbers, String endpoints) {
        return Rule.of(
                new Statement.In(FRONTEND, affinity(seconds).name(), false),
                new Statement.Pick(plus(FRONTEND, new Operand.Random(n)), numbers.name()),
                new Statement.Forget(CLIENT, affinityClients(seconds).name()),
                new Statement.Remember(CLIENT, affinityClients(seconds).name(), seconds),
                new Statement.Translate(plus(FRONTEND, PRIORITY), endpoints));
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
