package io.sluice.nft;

import io.sluice.api.net.IpAddress;
import io.sluice.rules.Fate;
import io.sluice.rules.Packet;
import io.sluice.rules.Trace;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Follows the first packet of a connection through a table as the kernel would, by its rules alone. Where chance decides, all
 * outcomes are followed. Affinity maps are empty here: nobody came before.
 */
public final class NftTracer {
    private final NftTable table;
    private final Map<String, Chain> chains = new HashMap<>();
    private final Map<Element.Id, Element> elements = new HashMap<>();
    private final List<Element> ranges = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();

    private NftTracer(NftTable table) {
        this.table = table;
        table.chains().forEach(chain -> chains.put(chain.name(), chain));
        table.elements().forEach(element -> {
            elements.put(element.id(), element);
            if (!element.key().equals(element.keyEnd())) {
                ranges.add(element);
            }
        });
    }

    public static Trace trace(NftTable table, Packet packet) {
        NftTracer tracer = new NftTracer(table);
        Fate fate = tracer.follow(packet);
        return new Trace(fate, List.copyOf(tracer.steps));
    }

    /** Ends the walk through the hooks. */
    private enum Verdict {
        CONTINUE,
        REJECTED,
        DROPPED,
        TRANSLATED
    }

    /** What the walk changes. */
    private static final class State {
        final Packet packet;
        IpAddress destination;
        int port;
        int mark;
        boolean translated;
        boolean masqueraded;
        List<Bits> endpoints = List.of();
        List<Integer> priorities = List.of();

        State(Packet packet) {
            this.packet = packet;
            this.destination = packet.to();
            this.port = packet.port();
        }
    }

    private Fate follow(Packet packet) {
        State state = new State(packet);
        boolean own = packet.inInterface().isEmpty();
        Chain.Point first = own ? Chain.Point.OUTPUT : Chain.Point.PREROUTING;
        for (int priority : new int[] {-110, -100}) {
            Optional<Fate> end = hook(first, priority, state);
            if (end.isPresent()) {
                return end.get();
            }
        }
        if (state.endpoints.isEmpty()) {
            Chain.Point next = own
                    ? Chain.Point.OUTPUT
                    : packet.toLocal() ? Chain.Point.INPUT : Chain.Point.FORWARD;
            return hook(next, 0, state).orElse(new Fate.Untouched());
        }
        return forwarded(state, own);
    }

    private Fate forwarded(State state, boolean own) {
        SortedSet<String> endpoints = new TreeSet<>();
        boolean masqueraded = false;
        int mark = state.mark;
        for (Bits endpoint : state.endpoints) {
            byte[] bytes = endpoint.bytes();
            int length = table.family().bits() / 8;
            state.destination = IpAddress.of(Arrays.copyOf(bytes, length));
            state.port = (bytes[length] & 0xff) << 8 | bytes[length + 1] & 0xff;
            state.translated = true;
            state.mark = mark;
            state.masqueraded = false;
            Optional<Fate> end = hook(own ? Chain.Point.OUTPUT : Chain.Point.FORWARD, 0, state);
            if (end.isPresent()) {
                return end.get();
            }
            hook(Chain.Point.POSTROUTING, 100, state);
            masqueraded |= state.masqueraded;
            endpoints.add(state.destination.withPort(state.port));
        }
        return new Fate.Forward(endpoints, masqueraded);
    }

    private Optional<Fate> hook(Chain.Point point, int priority, State state) {
        List<Chain> here = table.chains().stream()
                .filter(chain -> chain.hook()
                        .filter(hook -> hook.point() == point && hook.priority() == priority)
                        .isPresent())
                .sorted(Comparator.comparing(Chain::name))
                .toList();
        for (Chain chain : here) {
            switch (walk(chain, state)) {
                case REJECTED -> {
                    return Optional.of(new Fate.Reject());
                }
                case DROPPED -> {
                    return Optional.of(new Fate.Drop());
                }
                case CONTINUE, TRANSLATED -> {}
            }
        }
        return Optional.empty();
    }

    private Verdict walk(Chain chain, State state) {
        for (Rule rule : chain.rules()) {
            Optional<Verdict> verdict = run(chain, rule, state);
            if (verdict.isPresent()) {
                return verdict.get();
            }
        }
        return Verdict.CONTINUE;
    }

    /** @return empty to go on with the next rule */
    private Optional<Verdict> run(Chain chain, Rule rule, State state) {
        for (Statement statement : rule.statements()) {
            switch (statement) {
                case Statement.SetMark set -> state.mark |= set.mark();
                case Statement.ToggleMark toggle -> state.mark ^= toggle.mark();
                case Statement.Masquerade any -> {
                    state.masqueraded = true;
                    return met(chain, rule, Verdict.TRANSLATED);
                }
                case Statement.Reject any -> {
                    return met(chain, rule, Verdict.REJECTED);
                }
                case Statement.Drop any -> {
                    return met(chain, rule, Verdict.DROPPED);
                }
                case Statement.Jump jump -> {
                    met(chain, rule, Verdict.CONTINUE);
                    Verdict verdict = walk(chains.get(jump.chain()), state);
                    if (verdict != Verdict.CONTINUE) {
                        return Optional.of(verdict);
                    }
                }
                case Statement.Goto go -> {
                    met(chain, rule, Verdict.CONTINUE);
                    return Optional.of(walk(chains.get(go.chain()), state));
                }
                case Statement.Translate translate -> {
                    List<Bits> found = lookAll(translate.key(), translate.map(), state);
                    if (found.isEmpty()) {
                        return Optional.empty();
                    }
                    state.endpoints = found;
                    return met(chain, rule, Verdict.TRANSLATED);
                }
                case Statement.Pick pick -> {
                    state.priorities = lookAll(pick.key(), pick.map(), state).stream()
                            .map(NftTracer::number)
                            .toList();
                    if (state.priorities.isEmpty()) {
                        return Optional.empty();
                    }
                }
                case Statement.Forget any -> {}
                case Statement.Remember any -> {}
                case Statement.In in -> {
                    if (contains(in, state) == in.negated()) {
                        return Optional.empty();
                    }
                }
                case Statement.Block block -> {
                    IpAddress address =
                            block.destination() ? state.destination : state.packet.from();
                    if (block.block().contains(address) == block.negated()) {
                        return Optional.empty();
                    }
                }
                case Statement.InInterface in -> {
                    String name = state.packet.inInterface();
                    boolean matches =
                            in.prefix() ? name.startsWith(in.name()) : name.equals(in.name());
                    if (matches == in.negated()) {
                        return Optional.empty();
                    }
                }
                case Statement.NewConnection any -> {}
                case Statement.Translated any -> {
                    if (!state.translated) {
                        return Optional.empty();
                    }
                }
                case Statement.SourceLocal any -> {
                    if (!state.packet.fromLocal()) {
                        return Optional.empty();
                    }
                }
                case Statement.Marked marked -> {
                    if ((state.mark & marked.mark()) == 0) {
                        return Optional.empty();
                    }
                }
            }
        }
        met(chain, rule, Verdict.CONTINUE);
        return Optional.empty();
    }

    private Optional<Verdict> met(Chain chain, Rule rule, Verdict verdict) {
        String step = chain.name() + ": " + NftText.rule(table.family(), rule);
        if (steps.isEmpty() || !steps.contains(step)) {
            steps.add(step);
        }
        return Optional.of(verdict);
    }

    private boolean contains(Statement.In in, State state) {
        Bits key = bits(in.key(), 0, state);
        if (elements.containsKey(new Element.Id(in.set(), key, key))) {
            return true;
        }
        return ranges.stream()
                .filter(element -> element.set().equals(in.set()))
                .anyMatch(element -> Arrays.compareUnsigned(element.key().bytes(), key.bytes()) <= 0
                        && Arrays.compareUnsigned(key.bytes(), element.keyEnd().bytes()) <= 0);
    }

    /** One outcome for each number that chance can bring. */
    private List<Bits> lookAll(List<Operand> key, String map, State state) {
        List<Bits> out = new ArrayList<>();
        for (int number : numbers(key, state)) {
            Bits bits = bits(key, number, state);
            Element found = elements.get(new Element.Id(map, bits, bits));
            if (found != null) {
                out.add(found.data());
            }
        }
        return out;
    }

    private static List<Integer> numbers(List<Operand> key, State state) {
        for (Operand operand : key) {
            if (operand instanceof Operand.Random random) {
                return IntStream.range(0, random.modulus()).boxed().toList();
            }
            if (operand == Operand.Packet.PRIORITY) {
                return state.priorities;
            }
        }
        return List.of(0);
    }

    private static int number(Bits data) {
        return ByteBuffer.wrap(data.bytes()).order(ByteOrder.nativeOrder()).getInt();
    }

    private Bits bits(List<Operand> key, int chance, State state) {
        Bits.Builder out = Bits.of();
        for (Operand operand : key) {
            switch (operand) {
                case Operand.Packet packet -> {
                    switch (packet) {
                        case SOURCE_ADDRESS -> out.address(state.packet.from());
                        case DESTINATION_ADDRESS -> out.address(state.destination);
                        case PROTOCOL -> out.protocol(state.packet.protocol());
                        case DESTINATION_PORT -> out.port(state.port);
                        case PRIORITY -> out.number(chance);
                    }
                }
                case Operand.Random random -> out.number(chance);
            }
        }
        return out.bits();
    }
}
