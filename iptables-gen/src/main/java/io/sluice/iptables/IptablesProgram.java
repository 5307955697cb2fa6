package io.sluice.iptables;

import io.sluice.api.net.IpFamily;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * All that one family's tables hold of ours: chains, and the jumps that lead into them. Immutable.
 *
 * @param jumps in the order in which they are inserted at the top of their chain, so the last one is the first to be met
 */
public record IptablesProgram(
        IpFamily family, Map<Table, SortedMap<String, List<Rule>>> chains, List<Jump> jumps) {

    /** @param from a built-in chain */
    record Jump(Table table, String from, Rule rule) {
        String to() {
            return ((Target.Jump) rule.target()).chain();
        }
    }

    List<Rule> chain(Table table, String name) {
        return chains.get(table).getOrDefault(name, List.of());
    }

    /** As {@code iptables-save} would print it, chains sorted. */
    public String text() {
        StringBuilder out = new StringBuilder();
        chains.forEach((table, all) -> {
            out.append('*').append(table.text()).append('\n');
            all.keySet().forEach(name -> out.append(RestoreText.chainLine(name)));
            for (Jump jump : jumps.reversed()) {
                if (jump.table() == table) {
                    out.append(RestoreText.append(jump.from(), jump.rule()));
                }
            }
            all.forEach((name, rules) ->
                    rules.forEach(rule -> out.append(RestoreText.append(name, rule))));
            out.append("COMMIT\n");
        });
        return out.toString();
    }
}
