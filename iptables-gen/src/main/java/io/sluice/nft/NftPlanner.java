package io.sluice.nft;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Knows what the kernel holds of one family, and says what to change. State, owned by the thread that syncs: each call assumes that the
 * kernel took the transaction of the call before; where it did not, {@link #full} begins anew.
 */
public final class NftPlanner {
    private final IpFamily family;
    private final RuleSettings settings;
    private final Consumer<String> conflicts;
    private FrontendIndex index = new FrontendIndex();
    private final Map<Frontend.Key, Claim> installed = new HashMap<>();
    /** NodePorts, by the key the index has them under. */
    private final Set<Frontend.Key> nodePorts = new HashSet<>();
    /** How many frontends need an element that several can share. */
    private final Map<Element.Id, Integer> shared = new HashMap<>();

    private final SortedMap<Integer, Integer> counts = new TreeMap<>();
    private final SortedMap<Integer, Integer> near = new TreeMap<>();
    private final SortedMap<Integer, Integer> sticky = new TreeMap<>();
    private final SortedMap<Integer, Integer> nearSticky = new TreeMap<>();
    private final SortedMap<Integer, Integer> timeouts = new TreeMap<>();
    private final Map<String, Integer> sizes = new HashMap<>();
    private NodeFacts facts;
    private List<IpAddress> nodePortAddresses;

    /** @param conflicts told of frontends that several Services want */
    public NftPlanner(
            IpFamily family, RuleSettings settings, NodeFacts facts, Consumer<String> conflicts) {
        this.family = family;
        this.settings = settings;
        this.conflicts = conflicts;
        learn(facts);
    }

    private void learn(NodeFacts now) {
        facts = now;
        NodePortAddresses wanted = settings.nodePortAddresses();
        List<IpAddress> addresses = wanted.matchesAll(family)
                ? now.interfaceAddresses()
                : wanted.select(family, now.view(), now.interfaceAddresses());
        // What is sent from a loopback address to an endpoint elsewhere is lost on the way.
        nodePortAddresses = addresses.stream()
                .filter(address -> address.family() == family && !address.isLoopback())
                .toList();
    }

    /** Everything, in place of whatever is there. */
    public Transaction full(ProxyImage image, NodeFacts now) {
        learn(now);
        index = new FrontendIndex();
        installed.clear();
        nodePorts.clear();
        shared.clear();
        List.of(counts, near, sticky, nearSticky, timeouts).forEach(Map::clear);
        sizes.clear();
        List<ProxyDelta.Change> all = image.ports().stream()
                .map(port ->
                        new ProxyDelta.Change(port.name(), Optional.empty(), Optional.of(port)))
                .filter(change -> change.name().family() == family)
                .toList();
        Fresh fresh = new Fresh();
        change(take(new ProxyDelta(all, List.of())), fresh);
        fresh.bySet.forEach((set, elements) -> sizes.put(set, elements.size()));
        List<Command> out = new ArrayList<>();
        // To delete what may not be there is an error; to add what is there is none.
        out.add(new Command.AddTable());
        out.add(new Command.DeleteTable());
        out.add(new Command.AddTable());
        sets().forEach(set -> out.add(new Command.AddSet(set)));
        List<Chain> chains = chains();
        chains.forEach(chain -> out.add(new Command.AddChain(chain)));
        for (List<Element> elements : fresh.bySet.values()) {
            for (Element element : elements) {
                out.add(new Command.AddElement(element));
            }
        }
        chains.forEach(chain ->
                chain.rules().forEach(rule -> out.add(new Command.AddRule(chain.name(), rule))));
        return new Transaction(family, out);
    }

    /** What a delta changes; from the last image planned. */
    public Transaction update(ProxyDelta delta) {
        List<ProxyDelta.Change> own = delta.changes().stream()
                .filter(change -> change.name().family() == family)
                .toList();
        return transaction(take(new ProxyDelta(own, List.of())));
    }

    /** Which frontends a delta touches, as they are in the kernel. */
    private Set<Frontend.Key> take(ProxyDelta delta) {
        Set<Frontend.Key> touched = new LinkedHashSet<>();
        for (FrontendIndex.OwnerChange change : index.apply(delta, conflicts)) {
            Frontend.Key key = change.key();
            if (!key.address().isUnspecified()) {
                touched.add(key);
                continue;
            }
            if (change.after().isPresent()) {
                nodePorts.add(key);
            } else {
                nodePorts.remove(key);
            }
            nodePortAddresses.forEach(address -> touched.add(at(key, address)));
        }
        return touched;
    }

    /**
     * What the node's new facts change.
     *
     * @return empty where the rules themselves change, which asks for {@link #full}
     */
    public Optional<Transaction> onNode(NodeFacts now) {
        if (!now.serviceRanges().equals(facts.serviceRanges())) {
            learn(now);
            return Optional.empty();
        }
        boolean sameView = now.view().addresses().equals(facts.view().addresses());
        Set<IpAddress> before = new HashSet<>(nodePortAddresses);
        Set<Frontend.Key> touched = new LinkedHashSet<>();
        NodeFacts old = facts;
        learn(now);
        Set<IpAddress> changed = new HashSet<>(nodePortAddresses);
        before.forEach(address -> {
            if (!changed.remove(address)) {
                changed.add(address);
            }
        });
        for (Frontend.Key key : nodePorts) {
            changed.forEach(address -> touched.add(at(key, address)));
        }
        if (!sameView) {
            facts = old; // whether a VIP lets the node in depends on its addresses
            return Optional.of(withView(now, touched));
        }
        return Optional.of(transaction(touched));
    }

    private Transaction withView(NodeFacts now, Set<Frontend.Key> touched) {
        Changes changes = new Changes();
        Map<Frontend.Key, Claim> restricted = new LinkedHashMap<>();
        installed.forEach((key, claim) -> {
            if (claim.frontend().kind() == Frontend.Kind.LOAD_BALANCER
                    && claim.port().vipsRestricted()) {
                restricted.put(key, claim);
            }
        });
        restricted.forEach((key, claim) -> remove(key, claim, changes));
        facts = now;
        restricted.forEach((key, claim) -> add(key, claim, changes));
        return transaction(touched, changes);
    }

    private static Frontend.Key at(Frontend.Key nodePort, IpAddress address) {
        return new Frontend.Key(address, nodePort.port(), nodePort.protocol());
    }

    /** Who has a frontend as the kernel sees it: a Service that names the address goes before a NodePort. */
    private Optional<Claim> owner(Frontend.Key key) {
        Optional<Claim> named = index.owner(key);
        if (named.isPresent() || !nodePortAddresses.contains(key.address())) {
            return named;
        }
        IpAddress any = new IpAddress(family, 0, 0);
        return index.owner(new Frontend.Key(any, key.port(), key.protocol()));
    }

    private Transaction transaction(Set<Frontend.Key> touched) {
        return transaction(touched, new Changes());
    }

    private Transaction transaction(Set<Frontend.Key> touched, Changes changes) {
        NftProgram.Shape before = shape();
        Map<String, SetSpec> setsBefore = byName(sets());
        change(touched, changes);
        Map<String, SetSpec> setsAfter = byName(sets());
        List<Command> out = new ArrayList<>();
        setsAfter.forEach((name, set) -> {
            if (!setsBefore.containsKey(name)) {
                out.add(new Command.AddSet(set));
            }
        });
        changes.removed.values().stream()
                .filter(element -> setsAfter.containsKey(element.set()))
                .sorted(Comparator.comparing(Element::set))
                .forEach(element -> out.add(new Command.DeleteElement(element)));
        changes.added.values().stream()
                .sorted(Comparator.comparing(Element::set))
                .forEach(element -> out.add(new Command.AddElement(element)));
        if (!before.equals(shape())) {
            rebuild(out);
        }
        setsBefore.forEach((name, set) -> {
            if (!setsAfter.containsKey(name)) {
                out.add(new Command.DeleteSet(name));
            }
        });
        return new Transaction(family, out);
    }

    /** The two chains with a rule per map of endpoints. */
    private void rebuild(List<Command> out) {
        for (Chain chain : chains()) {
            if (chain.name().equals(NftProgram.SERVICES)
                    || chain.name().equals(NftProgram.NEAR_SERVICES)) {
                out.add(new Command.FlushChain(chain.name()));
                chain.rules().forEach(rule -> out.add(new Command.AddRule(chain.name(), rule)));
            }
        }
    }

    private static Map<String, SetSpec> byName(List<SetSpec> sets) {
        Map<String, SetSpec> out = new LinkedHashMap<>();
        sets.forEach(set -> out.put(set.name(), set));
        return out;
    }

    private void change(Set<Frontend.Key> touched, Sink changes) {
        for (Frontend.Key key : touched) {
            Optional<Claim> after = owner(key);
            Claim before = installed.remove(key);
            if (before != null) {
                remove(key, before, changes);
            }
            after.ifPresent(claim -> {
                installed.put(key, claim);
                add(key, claim, changes);
            });
        }
    }

    private void remove(Frontend.Key key, Claim claim, Sink changes) {
        count(claim, -1);
        for (Element element : FrontendElements.of(key, claim, facts.view())) {
            if (!isShared(element) || shared.merge(element.id(), -1, Integer::sum) == 0) {
                shared.remove(element.id());
                changes.remove(element);
            }
        }
    }

    private void add(Frontend.Key key, Claim claim, Sink changes) {
        count(claim, 1);
        for (Element element : FrontendElements.of(key, claim, facts.view())) {
            if (!isShared(element) || shared.merge(element.id(), 1, Integer::sum) == 1) {
                changes.add(element);
            }
        }
    }

    private static boolean isShared(Element element) {
        return element.set().equals(NftProgram.CLUSTER_IPS)
                || element.set().equals(NftProgram.HAIRPIN);
    }

    private void count(Claim claim, int by) {
        int seconds = FrontendElements.affinitySeconds(claim);
        count(seconds == 0 ? counts : sticky, FrontendElements.list(claim).size(), by);
        count(seconds == 0 ? near : nearSticky, FrontendElements.nearList(claim).size(), by);
        count(timeouts, seconds, by);
    }

    private static void count(Map<Integer, Integer> counts, int n, int by) {
        if (n != 0) {
            counts.merge(n, by, (a, b) -> a + b == 0 ? null : a + b);
        }
    }

    private List<SetSpec> sets() {
        List<SetSpec> out = new ArrayList<>(NftProgram.sets());
        out.addAll(shape().sets());
        return out;
    }

    private NftProgram.Shape shape() {
        return new NftProgram.Shape(
                new TreeSet<>(counts.keySet()),
                new TreeSet<>(near.keySet()),
                new TreeSet<>(sticky.keySet()),
                new TreeSet<>(nearSticky.keySet()),
                new TreeSet<>(timeouts.keySet()));
    }

    private List<Chain> chains() {
        return new NftProgram(family, settings, facts).chains(shape());
    }

    /** How many elements each set and rules each chain has, by {@code set NAME} and {@code chain NAME}; without what rules add. */
    public Map<String, Integer> census() {
        Map<String, Integer> out = new HashMap<>();
        for (SetSpec set : sets()) {
            if (set.timeoutSeconds() == 0) {
                out.put("set " + set.name(), sizes.getOrDefault(set.name(), 0));
            }
        }
        for (Chain chain : chains()) {
            if (!chain.rules().isEmpty()) {
                out.put("chain " + chain.name(), chain.rules().size());
            }
        }
        return out;
    }

    /** What the kernel holds, as far as we put it there. */
    public NftTable table() {
        Map<Element.Id, Element> elements = new LinkedHashMap<>();
        installed.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.comparing(Frontend.Key::address)
                        .thenComparing(Frontend.Key::port)
                        .thenComparing(Frontend.Key::protocol)))
                .forEach(
                        entry -> FrontendElements.of(entry.getKey(), entry.getValue(), facts.view())
                                .forEach(element -> elements.putIfAbsent(element.id(), element)));
        return new NftTable(family, sets(), chains(), List.copyOf(elements.values()));
    }

    /** Hears what comes and what goes. */
    private interface Sink {
        void add(Element element);

        void remove(Element element);
    }

    /** Elements of a table that was empty. */
    private static final class Fresh implements Sink {
        private final SortedMap<String, List<Element>> bySet = new TreeMap<>();
        private String set = "";
        private List<Element> elements = List.of();

        @Override
        public void add(Element element) {
            if (!element.set().equals(set)) {
                set = element.set();
                elements = bySet.computeIfAbsent(set, none -> new ArrayList<>());
            }
            elements.add(element);
        }

        @Override
        public void remove(Element element) {
            throw new IllegalStateException(element + " was not there");
        }
    }

    /** Elements to take out and to put in; what goes and comes back the same is neither. */
    private final class Changes implements Sink {
        private final Map<Element.Id, Element> removed = new LinkedHashMap<>();
        private final Map<Element.Id, Element> added = new LinkedHashMap<>();

        @Override
        public void remove(Element element) {
            sizes.merge(element.set(), -1, Integer::sum);
            if (added.remove(element.id(), element)) {
                return;
            }
            removed.put(element.id(), element);
        }

        @Override
        public void add(Element element) {
            sizes.merge(element.set(), 1, Integer::sum);
            Element old = removed.get(element.id());
            if (element.equals(old)) {
                removed.remove(element.id());
            } else {
                added.put(element.id(), element);
            }
        }
    }
}
