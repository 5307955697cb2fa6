package io.sluice.dataplane.iptables;

import io.sluice.api.net.IpFamily;
import io.sluice.iptables.IptablesPlanner;
import io.sluice.iptables.SavedRules;
import io.sluice.iptables.Table;
import io.sluice.kernel.nft.NetlinkNft;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Takes the rules of mode iptables out of all tables of both variants. */
public final class IptablesCleanUp {
    private IptablesCleanUp() {}

    /**
     * @param kubeProxy whether rules of a kube-proxy go as well, whose chains have the names that ours have
     * @param problems what could not be done is added here
     * @return what is gone, one text per variant and family
     */
    public static List<String> run(boolean kubeProxy, List<String> problems) {
        List<String> removed = new ArrayList<>();
        for (Variant variant : Variant.installed()) {
            for (IpFamily family : IpFamily.values()) {
                if (variant.isInstalled(family)) {
                    try {
                        run(variant, family, kubeProxy, removed);
                    } catch (IOException e) {
                        problems.add(e.getMessage());
                    }
                }
            }
        }
        return removed;
    }

    private static void run(
            Variant variant, IpFamily family, boolean kubeProxy, List<String> removed)
            throws IOException {
        Tool tool = new Tool(family, variant);
        SavedRules saved = SavedRules.parse(tool.save());
        String input = IptablesPlanner.cleanUp(saved);
        if (input.isEmpty() || !kubeProxy && !saved.isSluices()) {
            return;
        }
        tool.restore(input);
        List<String> others = IptablesPlanner.leftToOthers(saved);
        removed.add("chains of " + variant.command(family, "")
                + (others.isEmpty() ? "" : ", but for " + String.join(", ", others)));
        SavedRules left = SavedRules.parse(tool.save());
        Set<Table> touched = saved.ours();
        try (NetlinkNft nftables = NetlinkNft.open()) {
            for (Table table : touched) {
                // The legacy variant's tables are no nftables, and stay.
                if (left.isEmpty(table) && nftables.deleteTable(family, table.text())) {
                    removed.add("the empty table " + table.text() + " of "
                            + variant.command(family, ""));
                }
            }
        }
    }
}
