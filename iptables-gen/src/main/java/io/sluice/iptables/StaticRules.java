package io.sluice.iptables;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.iptables.IptablesProgram.Jump;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import java.util.ArrayList;
import java.util.List;

/** The rules that do not depend on Services. Pure. */
final class StaticRules {
    private static final Cidr LOOPBACK_V4 = Cidr.of("127.0.0.0/8");
    private static final Cidr LOOPBACK_V6 = Cidr.of("::1/128");
    private static final Match NEW = new Match.InState("NEW", false);

    private StaticRules() {}

    /**
     * In the order of insertion. One more than kube-proxy has: OUTPUT leads to KUBE-EXTERNAL-SERVICES too, so that the node itself is
     * refused at an external address without endpoints, as everybody else is, and does not leave for whoever has that address.
     */
    static List<Jump> jumps(IpFamily family, RuleSettings settings) {
        List<Jump> out = new ArrayList<>();
        for (String from : List.of("INPUT", "FORWARD", "OUTPUT")) {
            out.add(jump(
                    Table.FILTER,
                    from,
                    ChainNames.EXTERNAL_SERVICES,
                    "kubernetes externally-visible service portals",
                    NEW));
        }
        out.add(jump(
                Table.FILTER,
                "INPUT",
                ChainNames.NODE_PORTS,
                "kubernetes health check service ports"));
        for (String from : List.of("FORWARD", "OUTPUT")) {
            out.add(jump(
                    Table.FILTER, from, ChainNames.SERVICES, "kubernetes service portals", NEW));
        }
        out.add(jump(Table.FILTER, "FORWARD", ChainNames.FORWARD, "kubernetes forwarding rules"));
        for (String from : List.of("INPUT", "OUTPUT", "FORWARD")) {
            out.add(jump(
                    Table.FILTER,
                    from,
                    ChainNames.PROXY_FIREWALL,
                    "kubernetes load balancer firewall",
                    NEW));
        }
        for (String from : List.of("OUTPUT", "PREROUTING")) {
            out.add(jump(Table.NAT, from, ChainNames.SERVICES, "kubernetes service portals"));
        }
        out.add(jump(
                Table.NAT, "POSTROUTING", ChainNames.POSTROUTING, "kubernetes postrouting rules"));
        if (guardsLoopback(family, settings)) {
            out.add(jump(Table.FILTER, "INPUT", ChainNames.FIREWALL, ""));
            out.add(jump(Table.FILTER, "OUTPUT", ChainNames.FIREWALL, ""));
        }
        return out;
    }

    private static Jump jump(
            Table table, String from, String to, String comment, Match... matches) {
        return new Jump(table, from, Rule.of(comment, new Target.Jump(to), matches));
    }

    /** With node ports on loopback addresses the kernel lets such addresses in from outside, which these rules keep out again. */
    static boolean guardsLoopback(IpFamily family, RuleSettings settings) {
        return family == IpFamily.IPV4 && settings.localhostNodePorts();
    }

    static List<Rule> firewall() {
        return List.of(Rule.of(
                "block incoming localnet connections",
                new Target.Drop(),
                new Match.To(LOOPBACK_V4, false),
                new Match.From(LOOPBACK_V4, true),
                new Match.InState("RELATED,ESTABLISHED,DNAT", true)));
    }

    static List<Rule> forward(RuleSettings settings) {
        List<Rule> out = new ArrayList<>();
        if (settings.dropInvalid()) {
            out.add(Rule.of("", new Target.Drop(), new Match.InState("INVALID", false)));
        }
        out.add(Rule.of(
                "kubernetes forwarding rules",
                new Target.Accept(),
                new Match.Marked(settings.mark(), false)));
        out.add(Rule.of(
                "kubernetes forwarding conntrack rule",
                new Target.Accept(),
                new Match.InState("RELATED,ESTABLISHED", false)));
        return List.copyOf(out);
    }

    static List<Rule> postrouting(RuleSettings settings) {
        return List.of(
                Rule.of("", new Target.Return(), new Match.Marked(settings.mark(), true)),
                Rule.of("", new Target.FlipMark(settings.mark())),
                Rule.of("kubernetes service traffic requiring SNAT", new Target.Masquerade()));
    }

    static List<Rule> markMasquerade(RuleSettings settings) {
        return List.of(Rule.of("", new Target.SetMark(settings.mark())));
    }

    /** The end of nat's KUBE-SERVICES: what is for the node itself may be for a node port. */
    static List<Rule> nodePortTail(IpFamily family, RuleSettings settings, NodeFacts facts) {
        String comment =
                "kubernetes service nodeports; NOTE: this must be the last rule in this chain";
        Target target = new Target.Jump(ChainNames.NODE_PORTS);
        NodePortAddresses where = settings.nodePortAddresses();
        if (!where.matchesAll(family)) {
            List<Rule> out = new ArrayList<>();
            for (IpAddress address :
                    where.select(family, facts.view(), facts.interfaceAddresses())) {
                if (!address.isLoopback() || guardsLoopback(family, settings)) {
                    out.add(Rule.of(
                            comment,
                            target,
                            new Match.To(new Cidr(address, family.bits()), false)));
                }
            }
            return List.copyOf(out);
        }
        if (guardsLoopback(family, settings)) {
            return List.of(Rule.of(comment, target, new Match.ToLocal()));
        }
        Cidr loopback = family == IpFamily.IPV4 ? LOOPBACK_V4 : LOOPBACK_V6;
        return List.of(Rule.of(comment, target, new Match.ToLocal(), new Match.To(loopback, true)));
    }
}
