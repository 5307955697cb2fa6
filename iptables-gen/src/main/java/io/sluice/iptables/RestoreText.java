package io.sluice.iptables;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects one transaction for {@code iptables-restore --noflush}: chains written anew, jumps inserted, chains taken away. */
final class RestoreText {
    private final Map<Table, SortedMap<String, List<Rule>>> written = new EnumMap<>(Table.class);
    private final Map<Table, List<String>> inserted = new EnumMap<>(Table.class);
    private final Map<Table, List<String>> removed = new EnumMap<>(Table.class);

    static String chainLine(String chain) {
        return ':' + chain + " - [0:0]\n";
    }

    static String append(String chain, Rule rule) {
        return "-A " + chain + ' ' + rule.text() + '\n';
    }

    /** The chain holds these rules and no others. */
    RestoreText write(Table table, String chain, List<Rule> rules) {
        written.computeIfAbsent(table, key -> new TreeMap<>()).put(chain, rules);
        return this;
    }

    RestoreText insert(IptablesProgram.Jump jump) {
        inserted.computeIfAbsent(jump.table(), key -> new ArrayList<>())
                .add("-I " + jump.from() + " 1 " + jump.rule().text() + '\n');
        return this;
    }

    /** A chain that exists, and that nobody jumps to once this transaction is done. */
    RestoreText remove(Table table, String chain) {
        removed.computeIfAbsent(table, key -> new ArrayList<>()).add(chain);
        return this;
    }

    boolean isEmpty() {
        return written.isEmpty() && inserted.isEmpty() && removed.isEmpty();
    }

    String text() {
        StringBuilder out = new StringBuilder();
        for (Table table : Table.values()) {
            SortedMap<String, List<Rule>> chains = written.getOrDefault(table, new TreeMap<>());
            List<String> gone = removed.getOrDefault(table, List.of());
            List<String> jumps = inserted.getOrDefault(table, List.of());
            if (chains.isEmpty() && gone.isEmpty() && jumps.isEmpty()) {
                continue;
            }
            out.append('*').append(table.text()).append('\n');
            chains.keySet().forEach(chain -> out.append(chainLine(chain)));
            gone.forEach(chain -> out.append(chainLine(chain)));
            chains.forEach(
                    (chain, rules) -> rules.forEach(rule -> out.append(append(chain, rule))));
            jumps.forEach(out::append);
            gone.forEach(chain -> out.append("-X ").append(chain).append('\n'));
            out.append("COMMIT\n");
        }
        return out.toString();
    }
}
