package io.sluice.iptables;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@code iptables-restore --noflush} does, in memory: a transaction that jumps to a chain that is not there, or takes away one that
 * is jumped to, is refused.
 */
final class TwinTables {
    private final Map<String, Map<String, List<String>>> tables = new TreeMap<>();

    TwinTables() {
        tables.put("filter", builtIn("INPUT", "FORWARD", "OUTPUT"));
        tables.put("nat", builtIn("PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"));
        tables.put("mangle", builtIn("PREROUTING"));
    }

    private static Map<String, List<String>> builtIn(String... chains) {
        Map<String, List<String>> out = new TreeMap<>();
        for (String chain : chains) {
            out.put(chain, new ArrayList<>());
        }
        return out;
    }

    void restore(String input) {
        Map<String, List<String>> table = Map.of();
        for (String line : input.lines().toList()) {
            String[] words = line.split(" ", 3);
            switch (line.charAt(0)) {
                case '*' -> table = tables.get(line.substring(1));
                case ':' -> table.put(words[0].substring(1), new ArrayList<>());
                case 'C' -> check(table);
                default -> change(table, words, line);
            }
        }
    }

    private static void change(Map<String, List<String>> table, String[] words, String line) {
        List<String> chain = table.get(words[1]);
        if (chain == null) {
            throw new IllegalArgumentException("no chain for " + line);
        }
        switch (words[0]) {
            case "-A" -> chain.add(words[2]);
            case "-I" -> chain.addFirst(words[2].substring("1 ".length()));
            case "-X" -> table.remove(words[1]);
            case "-D" -> {
                if (!chain.remove(words[2])) {
                    throw new IllegalArgumentException("no such rule: " + line);
                }
            }
            default -> throw new IllegalArgumentException(line);
        }
    }

    private static void check(Map<String, List<String>> table) {
        table.forEach((name, rules) -> rules.forEach(rule -> {
            int jump = rule.lastIndexOf("-j KUBE-");
            if (jump >= 0 && !table.containsKey(rule.substring(jump + 3))) {
                throw new IllegalArgumentException(
                        "in " + name + ", " + rule + " jumps to a chain that is not there");
            }
        }));
    }

    /** As {@code iptables-save} prints it. */
    String save() {
        StringBuilder out = new StringBuilder();
        tables.forEach((table, chains) -> {
            out.append('*').append(table).append('\n');
            chains.keySet()
                    .forEach(chain -> out.append(':')
                            .append(chain)
                            .append(chain.startsWith("KUBE-") ? " -" : " ACCEPT")
                            .append(" [0:0]\n"));
            chains.forEach((chain, rules) -> rules.forEach(rule ->
                    out.append("-A ").append(chain).append(' ').append(rule).append('\n')));
            out.append("COMMIT\n");
        });
        return out.toString();
    }
}
