package io.sluice.iptables;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What {@code iptables-save} printed, as far as a planner asks.
 *
 * @param chains by table
 * @param jumps by table: rules that lead from other people's chains to ours, without the {@code -A}
 * @param used tables that hold a rule, a chain that is not built in, or a policy other than ACCEPT
 */
public record SavedRules(
        Map<Table, Set<String>> chains, Map<Table, List<String>> jumps, Set<Table> used) {

    public static SavedRules parse(String text) {
        Map<Table, Set<String>> chains = new EnumMap<>(Table.class);
        Map<Table, List<String>> jumps = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            chains.put(table, new HashSet<>());
            jumps.put(table, new ArrayList<>());
        }
        Set<Table> used = EnumSet.noneOf(Table.class);
        Optional<Table> here = Optional.empty();
        for (String line : (Iterable<String>) text.lines()::iterator) {
            if (line.startsWith("*")) {
                here = Stream.of(Table.values())
                        .filter(table -> line.equals('*' + table.text()))
                        .findFirst();
                continue;
            }
            if (here.isPresent() && (line.startsWith("-") || isNoEmptyBuiltIn(line))) {
                used.add(here.get());
            }
            if (here.isPresent() && line.startsWith(":")) {
                chains.get(here.get()).add(line.substring(1, line.indexOf(' ')));
            } else if (here.isPresent() && leadsToUs(line)) {
                jumps.get(here.get()).add(line.substring(3));
            }
        }
        return new SavedRules(chains, jumps, used);
    }

    private static boolean isNoEmptyBuiltIn(String line) {
        return line.startsWith(":") && !line.contains(" ACCEPT ");
    }

    private static boolean leadsToUs(String line) {
        int target = line.lastIndexOf(" -j ");
        return line.startsWith("-A ")
                && target >= 0
                && ChainNames.isOurs(line.substring(target + 4))
                && !ChainNames.isOurs(line.substring(3, line.indexOf(' ', 3)));
    }

    /** Whether nobody would miss the table. */
    public boolean isEmpty(Table table) {
        return !used.contains(table);
    }

    /** Tables with chains of ours, or of a kube-proxy. */
    public Set<Table> ours() {
        Set<Table> out = EnumSet.noneOf(Table.class);
        chains.forEach((table, names) -> {
            if (names.stream().anyMatch(ChainNames::isOurs)) {
                out.add(table);
            }
        });
        return out;
    }

    /** Whether the chains are ours, and no kube-proxy's: only we refuse the node itself at external addresses. */
    public boolean isSluices() {
        return jumps.get(Table.FILTER).stream()
                .anyMatch(line -> line.startsWith("OUTPUT ")
                        && line.endsWith(" -j " + ChainNames.EXTERNAL_SERVICES));
    }

    boolean has(Table table, String chain) {
        return chains.get(table).contains(chain);
    }

    boolean has(IptablesProgram.Jump jump) {
        return jumps.get(jump.table()).stream()
                .anyMatch(line ->
                        line.startsWith(jump.from() + ' ') && line.endsWith(" -j " + jump.to()));
    }
}
