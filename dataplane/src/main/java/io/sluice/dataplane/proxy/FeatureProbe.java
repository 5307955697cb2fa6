package io.sluice.dataplane.proxy;

import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.config.NodeFeatures;
import io.sluice.dataplane.config.NodeFeatures.Answer;
import io.sluice.dataplane.config.NodeFeatures.Finding;
import io.sluice.dataplane.iptables.Variant;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.nft.NetlinkNft;
import io.sluice.nft.NftPlanner;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import java.io.IOException;
import java.util.List;

/** Asks this node what it can do, by trying. Leaves nothing behind. */
public final class FeatureProbe {
    private FeatureProbe() {}

    /** What mode auto wants to know. */
    public static NodeFeatures read() {
        return new NodeFeatures(nftables(), iptables());
    }

    private static Finding nftables() {
        NodeView nobody = new NodeView("", "", List.of());
        NodeFacts facts = new NodeFacts(nobody, List.of(), List.of());
        RuleSettings settings = new RuleSettings(
                1 << RuleSettings.DEFAULT_MASQUERADE_BIT,
                false,
                new LocalDetector.None(),
                NodePortAddresses.ALL,
                false,
                false);
        try {
            for (IpFamily family : NodeAddresses.families()) {
                NftPlanner planner = new NftPlanner(family, settings, facts, conflict -> {});
                NetlinkNft.probe(planner.full(new ServiceTracker(nobody).image(), facts));
            }
            return new Finding(Answer.YES, "the kernel takes our rules");
        } catch (KernelException e) {
            boolean unsupported = e.errno() == Errno.ENOENT
                    || e.errno() == Errno.EOPNOTSUPP
                    || e.errno() == Errno.EPROTONOSUPPORT
                    || e.errno() == Errno.EPERM
                    || e.errno() == Errno.EINVAL;
            return new Finding(unsupported ? Answer.NO : Answer.UNKNOWN, e.getMessage());
        }
    }

    private static Finding iptables() {
        try {
            Variant variant = Variant.ofThisNode();
            boolean works = NodeAddresses.families().stream().allMatch(variant::isInstalled);
            return works
                    ? new Finding(Answer.YES, "it is installed")
                    : new Finding(Answer.NO, "ip6tables is not installed");
        } catch (IOException e) {
            return new Finding(Answer.NO, e.getMessage());
        }
    }
}
