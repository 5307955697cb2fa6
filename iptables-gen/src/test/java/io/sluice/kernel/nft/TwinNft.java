package io.sluice.kernel.nft;

import io.sluice.api.net.IpFamily;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.nft.Command;
import io.sluice.nft.Element;
import io.sluice.nft.NftProgram;
import io.sluice.nft.Rule;
import io.sluice.nft.SetSpec;
import io.sluice.nft.Statement;
import io.sluice.nft.Transaction;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** nf_tables in memory: as strict as the kernel where our table is concerned. */
public final class TwinNft implements NftDoor {
    private Map<IpFamily, Table> tables = new EnumMap<>(IpFamily.class);
    private int generation;

    /** What a table holds. */
    public record Table(
            Map<String, SetSpec> sets,
            Map<String, Map<String, Element>> elements,
            Map<String, List<Rule>> chains) {
        Table() {
            this(new LinkedHashMap<>(), new HashMap<>(), new LinkedHashMap<>());
        }

        Table copy() {
            Table out = new Table();
            out.sets.putAll(sets);
            elements.forEach((set, all) -> out.elements.put(set, new HashMap<>(all)));
            chains.forEach((chain, rules) -> out.chains.put(chain, new ArrayList<>(rules)));
            return out;
        }
    }

    public Table table(IpFamily family) {
        return tables.get(family);
    }

    @Override
    public void commit(Transaction transaction) throws KernelException {
        Map<IpFamily, Table> before = new EnumMap<>(IpFamily.class);
        tables.forEach((family, table) -> before.put(family, table.copy()));
        try {
            for (Command command : transaction.commands()) {
                run(transaction.family(), command);
            }
            generation++;
        } catch (KernelException e) {
            tables = before;
            throw e;
        }
    }

    private void run(IpFamily family, Command command) throws KernelException {
        if (command instanceof Command.AddTable) {
            tables.putIfAbsent(family, new Table());
            return;
        }
        Table table = tables.get(family);
        require(table != null, command, Errno.ENOENT);
        switch (command) {
            case Command.AddTable any -> {}
            case Command.DeleteTable any -> tables.remove(family);
            case Command.AddChain add ->
                table.chains.putIfAbsent(add.chain().name(), new ArrayList<>());
            case Command.FlushChain flush ->
                chain(table, flush.chain(), command).clear();
            case Command.AddRule add -> {
                require(
                        names(add.rule()).stream().allMatch(table.sets::containsKey),
                        command,
                        Errno.ENOENT);
                chain(table, add.chain(), command).add(add.rule());
            }
            case Command.AddSet add -> {
                table.sets.putIfAbsent(add.set().name(), add.set());
                table.elements.putIfAbsent(add.set().name(), new HashMap<>());
            }
            case Command.DeleteSet delete -> {
                require(table.sets.containsKey(delete.set()), command, Errno.ENOENT);
                require(
                        table.chains.values().stream()
                                .flatMap(List::stream)
                                .noneMatch(rule -> names(rule).contains(delete.set())),
                        command,
                        Errno.EBUSY);
                table.sets.remove(delete.set());
                table.elements.remove(delete.set());
            }
            case Command.AddElement add -> {
                Element element = add.element();
                SetSpec set = table.sets.get(element.set());
                require(set != null, command, Errno.ENOENT);
                require(
                        element.key().bytes().length == set.keyBytes(family)
                                && element.data().bytes().length == set.dataBytes(family),
                        command,
                        Errno.EINVAL);
                require(
                        table.elements.get(element.set()).putIfAbsent(id(element), element) == null,
                        command,
                        Errno.EEXIST);
            }
            case Command.DeleteElement delete -> {
                Map<String, Element> all = table.elements.get(delete.element().set());
                require(
                        all != null && all.remove(id(delete.element())) != null,
                        command,
                        Errno.ENOENT);
            }
        }
    }

    private static String id(Element element) {
        return java.util.Arrays.toString(element.key().bytes())
                + java.util.Arrays.toString(element.keyEnd().bytes());
    }

    private static List<Rule> chain(Table table, String name, Command command)
            throws KernelException {
        require(table.chains.containsKey(name), command, Errno.ENOENT);
        return table.chains.get(name);
    }

    /** Of the sets a rule uses. */
    private static List<String> names(Rule rule) {
        List<String> out = new ArrayList<>();
        for (Statement statement : rule.statements()) {
            switch (statement) {
                case Statement.In in -> out.add(in.set());
                case Statement.Translate translate -> out.add(translate.map());
                case Statement.Pick pick -> out.add(pick.map());
                case Statement.Forget forget -> out.add(forget.map());
                case Statement.Remember remember -> out.add(remember.map());
                default -> {}
            }
        }
        return out;
    }

    private static void require(boolean holds, Command command, int errno) throws KernelException {
        if (!holds) {
            throw new KernelException("nftables: twin", command.toString(), errno);
        }
    }

    @Override
    public int generation() {
        return generation;
    }

    @Override
    public Map<String, Integer> census(IpFamily family) {
        Map<String, Integer> out = new TreeMap<>();
        Table table = tables.get(family);
        if (table != null) {
            table.sets.values().stream()
                    .filter(set -> set.timeoutSeconds() == 0)
                    .forEach(set -> out.put(
                            "set " + set.name(), table.elements.get(set.name()).size()));
            table.chains.forEach((name, rules) -> {
                if (!rules.isEmpty()) {
                    out.put("chain " + name, rules.size());
                }
            });
        }
        return out;
    }

    @Override
    public List<Element> elements(IpFamily family) {
        Table table = tables.get(family);
        return table == null
                ? List.of()
                : table.elements.values().stream()
                        .flatMap(all -> all.values().stream())
                        .map(element -> Element.of(
                                element.set(),
                                element.key().bytes(),
                                element.keyEnd().bytes(),
                                element.data().bytes()))
                        .toList();
    }

    @Override
    public boolean deleteTable(IpFamily family, String table) {
        boolean there = table.equals(NftProgram.TABLE) && tables.remove(family) != null;
        generation += there ? 1 : 0;
        return there;
    }

    /** Somebody else's work. */
    public void meddle(IpFamily family, String chain) {
        tables.get(family).chains().get(chain).clear();
        generation++;
    }

    @Override
    public void close() {}
}
