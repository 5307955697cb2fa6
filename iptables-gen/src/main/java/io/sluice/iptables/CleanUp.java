package io.sluice.iptables;

import java.util.List;

/** Takes all of ours, and of kube-proxy's, out of the tables. Pure. */
final class CleanUp {
    /** The kubelet's mark; where it works, KUBE-FIREWALL is its as well. */
    private static final String KUBELET = "KUBE-KUBELET-CANARY";

    private CleanUp() {}

    /** Input for {@code iptables-restore --noflush}; empty where there is nothing of ours. */
    static String plan(SavedRules saved) {
        boolean kubelet = saved.has(Table.MANGLE, KUBELET);
        StringBuilder out = new StringBuilder();
        for (Table table : Table.values()) {
            List<String> chains = saved.chains().get(table).stream()
                    .filter(ChainNames::isOurs)
                    .filter(chain -> !kubelet || !chain.equals(ChainNames.FIREWALL))
                    .sorted()
                    .toList();
            if (chains.isEmpty()) {
                continue;
            }
            out.append('*').append(table.text()).append('\n');
            chains.forEach(chain -> out.append(RestoreText.chainLine(chain)));
            // None may be jumped to when it goes.
            saved.jumps().get(table).stream()
                    .filter(line -> chains.contains(line.substring(line.lastIndexOf(' ') + 1)))
                    .forEach(line -> out.append("-D ").append(line).append('\n'));
            chains.forEach(chain -> out.append("-X ").append(chain).append('\n'));
            out.append("COMMIT\n");
        }
        return out.toString();
    }
}
