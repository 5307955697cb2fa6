package io.sluice.iptables;

import java.util.ArrayList;
import java.util.EnumMap;
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
 */
public record SavedRules(Map<Table, Set<String>> chains, Map<Table, List<String>> jumps) {

    public static SavedRules parse(String text) {
        Map<Table, Set<String>> chains = new EnumMap<>(Table.class);
        Map<Table, List<String>> jumps = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            chains.put(table, new HashSet<>());
            jumps.put(table, new ArrayList<>());
        }
        Optional<Table> here = Optional.empty();
        for (String line : (Iterable<String>) text.lines()::iterator) {
            if (line.startsWith("*")) {
                here = Stream.of(Table.values())
                        .filter(table -> line.equals('*' + table.text()))
                        .findFirst();
            } else if (here.isPresent() && line.startsWith(":")) {
                chains.get(here.get()).add(line.substring(1, line.indexOf(' ')));
            } else if (here.isPresent() && leadsToUs(line)) {
                jumps.get(here.get()).add(line.substring(3));
            }
        }
        return new SavedRules(chains, jumps);
    }

    private static boolean leadsToUs(String line) {
        int target = line.lastIndexOf(" -j ");
        return line.startsWith("-A ")
                && target >= 0
                && ChainNames.isOurs(line.substring(target + 4))
                && !ChainNames.isOurs(line.substring(3, line.indexOf(' ', 3)));
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
