package io.sluice.iptables;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Takes all of ours, and of kube-proxy's, out of the tables, and nothing of others. Pure. */
final class CleanUp {
    /** The kubelet's mark; where it works, KUBE-FIREWALL is its as well. */
    private static final String KUBELET = "KUBE-KUBELET-CANARY";

    private static final Set<String> BUILT_IN =
            Set.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING");

    private CleanUp() {}

    /** Input for {@code iptables-restore --noflush}; empty where there is nothing of ours. */
    static String plan(SavedRules saved) {
        StringBuilder out = new StringBuilder();
        for (Table table : Table.values()) {
            Set<String> kept = kept(saved, table);
            List<String> chains = saved.chains().get(table).stream()
                    .filter(ChainNames::isOurs)
                    .filter(chain -> !kept.contains(chain))
                    .sorted()
                    .toList();
            List<String> jumps = saved.jumps().get(table).stream()
                    .filter(line -> BUILT_IN.contains(from(line)) && chains.contains(to(line)))
                    .toList();
            if (chains.isEmpty()) {
                continue;
            }
            out.append('*').append(table.text()).append('\n');
            chains.forEach(chain -> out.append(RestoreText.chainLine(chain)));
            // None may be jumped to when it goes.
            jumps.forEach(line -> out.append("-D ").append(line).append('\n'));
            chains.forEach(chain -> out.append("-X ").append(chain).append('\n'));
            out.append("COMMIT\n");
        }
        return out.toString();
    }

    /** What stays because chains of others jump to it: {@code CHAIN (used by CHAIN)}. */
    static List<String> leftToOthers(SavedRules saved) {
        List<String> out = new ArrayList<>();
        for (Table table : Table.values()) {
            for (String line : saved.jumps().get(table)) {
                if (!BUILT_IN.contains(from(line))) {
                    out.add(to(line) + " (used by " + from(line) + ')');
                }
            }
        }
        return out;
    }

    /** Those stay as they are, with what they say; KUBE-MARK-MASQ, which CNI plugins use, leads to no other chain of ours. */
    private static Set<String> kept(SavedRules saved, Table table) {
        Set<String> out = new TreeSet<>();
        for (String line : saved.jumps().get(table)) {
            if (!BUILT_IN.contains(from(line))) {
                out.add(to(line));
            }
        }
        if (saved.has(Table.MANGLE, KUBELET)) {
            out.add(ChainNames.FIREWALL);
        }
        return out;
    }

    private static String from(String line) {
        return line.substring(0, line.indexOf(' '));
    }

    private static String to(String line) {
        return line.substring(line.lastIndexOf(' ') + 1);
    }
}
