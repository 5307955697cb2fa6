package io.sluice.iptables;

import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Backend;
import io.sluice.rules.Fate;
import io.sluice.rules.Packet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Follows the first packet of a connection through a program, by every way that chance may choose. Pure. */
public final class IptablesTracer {
    private static final int MOST_JUMPS = 32;

    private final IptablesProgram program;
    private final Packet packet;

    private IptablesTracer(IptablesProgram program, Packet packet) {
        this.program = program;
        this.packet = packet;
    }

    /** A packet on its way: marked or not, with another destination or not, and a verdict or none. */
    private record Way(boolean marked, Optional<Backend> destination, Optional<Target> verdict) {
        Way mark(boolean now) {
            return new Way(now, destination, verdict);
        }

        Way end(Target target) {
            return new Way(marked, destination, Optional.of(target));
        }

        boolean over() {
            return verdict.isPresent();
        }
    }

    /** What a chain leaves of a way: it goes on behind the jump, unless it has its verdict. */
    public static Fate trace(IptablesProgram program, Packet packet) {
        return new IptablesTracer(program, packet).fate();
    }

    private Fate fate() {
        String nat = fromNode() ? "OUTPUT" : "PREROUTING";
        TreeSet<String> endpoints = new TreeSet<>();
        List<Fate> others = new ArrayList<>();
        boolean masqueraded = false;
        for (Way way :
                builtIn(Table.NAT, nat, new Way(false, Optional.empty(), Optional.empty()))) {
            Way filtered = filter(new Way(way.marked(), way.destination(), Optional.empty()));
            Fate end = refusal(filtered);
            if (!(end instanceof Fate.Untouched)) {
                others.add(end);
            } else if (way.destination().isEmpty()) {
                others.add(end);
            } else {
                Backend to = way.destination().get();
                endpoints.add(to.text());
                boolean masqueradedThere = builtIn(Table.NAT, "POSTROUTING", filtered).stream()
                        .anyMatch(
                                out -> out.verdict().equals(Optional.of(new Target.Masquerade())));
                // Where a client may meet itself, what counts is the way on which it does.
                masqueraded |= masqueradedThere;
            }
        }
        if (!endpoints.isEmpty() && others.isEmpty()) {
            return new Fate.Forward(endpoints, masqueraded);
        }
        if (endpoints.isEmpty() && others.stream().distinct().count() == 1) {
            return others.getFirst();
        }
        throw new IllegalStateException(
                packet + " goes to " + endpoints + " or " + others + ", as chance has it");
    }

    private boolean fromNode() {
        return packet.inInterface().isEmpty();
    }

    /** Through INPUT for the node itself, through FORWARD for others, through OUTPUT from the node. */
    private Way filter(Way way) {
        boolean toNode = packet.toLocal() && way.destination().isEmpty();
        List<String> hooks = new ArrayList<>();
        if (fromNode()) {
            hooks.add("OUTPUT");
        }
        if (toNode) {
            hooks.add("INPUT");
        } else if (!fromNode()) {
            hooks.add("FORWARD");
        }
        Way now = way;
        for (String hook : hooks) {
            List<Way> out = builtIn(Table.FILTER, hook, now);
            if (out.size() != 1) {
                throw new IllegalStateException("chance decides in table filter: " + out);
            }
            now = out.getFirst();
            if (now.over() && !(now.verdict().get() instanceof Target.Accept)) {
                return now;
            }
            now = new Way(now.marked(), now.destination(), Optional.empty());
        }
        return now;
    }

    private static Fate refusal(Way way) {
        return way.verdict()
                .map(target -> switch (target) {
                    case Target.Drop drop -> (Fate) new Fate.Drop();
                    case Target.Reject reject -> new Fate.Reject();
                    default -> new Fate.Untouched();
                })
                .orElse(new Fate.Untouched());
    }

    private List<Way> builtIn(Table table, String chain, Way start) {
        List<Rule> rules = program.jumps().reversed().stream()
                .filter(jump -> jump.table() == table && jump.from().equals(chain))
                .map(IptablesProgram.Jump::rule)
                .toList();
        return through(table, rules, start, 0);
    }

    /** All ways out of these rules; one without verdict goes on behind them. */
    private List<Way> through(Table table, List<Rule> rules, Way start, int depth) {
        if (depth > MOST_JUMPS) {
            throw new IllegalStateException("chains jump in a circle: " + rules);
        }
        List<Way> done = new ArrayList<>();
        List<Way> here = List.of(start);
        for (Rule rule : rules) {
            List<Way> next = new ArrayList<>();
            for (Way way : here) {
                if (way.over()) {
                    done.add(way);
                    continue;
                }
                if (!matches(rule, way)) {
                    next.add(way);
                    continue;
                }
                if (rule.matches().stream().anyMatch(Match.Chance.class::isInstance)) {
                    next.add(way);
                }
                if (rule.target() instanceof Target.Return) {
                    done.add(way);
                } else {
                    next.addAll(apply(table, rule.target(), way, depth));
                }
            }
            here = next;
        }
        done.addAll(here);
        return done;
    }

    private List<Way> apply(Table table, Target target, Way way, int depth) {
        return switch (target) {
            case Target.Jump jump ->
                through(table, program.chain(table, jump.chain()), way, depth + 1);
            case Target.SetMark mark -> List.of(way.mark(true));
            case Target.FlipMark mark -> List.of(way.mark(!way.marked()));
            case Target.Nothing nothing -> List.of(way);
            case Target.Dnat dnat ->
                List.of(new Way(way.marked(), Optional.of(dnat.backend()), Optional.of(target)));
            case Target.Accept accept -> List.of(way.end(target));
            case Target.Drop drop -> List.of(way.end(target));
            case Target.Reject reject -> List.of(way.end(target));
            case Target.Masquerade masquerade -> List.of(way.end(target));
            case Target.Return back -> List.of(way);
        };
    }

    private boolean matches(Rule rule, Way way) {
        return rule.matches().stream().allMatch(match -> matches(match, way));
    }

    private boolean matches(Match match, Way way) {
        IpAddress to = way.destination().map(Backend::address).orElse(packet.to());
        int port = way.destination().map(Backend::port).orElse(packet.port());
        return switch (match) {
            case Match.From from -> from.block().contains(packet.from()) != from.negated();
            case Match.To wanted -> wanted.block().contains(to) != wanted.negated();
            case Match.In in -> comesThrough(in.name()) != in.negated();
            case Match.FromLocal local -> packet.fromLocal();
            case Match.ToLocal local -> packet.toLocal() && way.destination().isEmpty();
            case Match.OfProtocol wanted -> wanted.protocol() == packet.protocol();
            case Match.ToPort wanted -> wanted.port() == port;
            case Match.InState state -> isInState(state, way);
            case Match.Marked marked -> way.marked() != marked.negated();
            case Match.Chance chance -> true;
            case Match.Remembered remembered -> false;
            case Match.Remember remember -> true;
        };
    }

    private boolean comesThrough(String name) {
        return name.endsWith("+")
                ? !fromNode()
                        && packet.inInterface().startsWith(name.substring(0, name.length() - 1))
                : packet.inInterface().equals(name);
    }

    /** The packet is the first of its connection, with its destination changed or not. */
    private static boolean isInState(Match.InState state, Way way) {
        List<String> states = List.of(state.states().split(","));
        boolean is = states.contains("NEW")
                || states.contains("DNAT") && way.destination().isPresent();
        return is != state.negated();
    }
}
