package io.sluice.dataplane.conntrack;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.apply.Applier;
import io.sluice.dataplane.apply.RuleSyncs;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.conntrack.ConntrackDoor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Another applier, and behind each of its changes the end of the UDP flows that the change left stale. State, owned by the conductor's
 * thread. Flows are listed only where a UDP Service changed; the first change lists them once for all.
 */
public final class FlowEnder implements Applier {
    private static final Logger LOG = LoggerFactory.getLogger(FlowEnder.class);

    private final Applier rules;
    private final ConntrackDoor conntrack;
    private final RuleSyncs heard;
    /** What changed since flows were looked at last, one change for each Service port. */
    private final Map<ServicePortName, ProxyDelta.Change> due = new LinkedHashMap<>();

    private Collection<IpAddress> nodeAddresses = List.of();

    /** @param rules closed with this; so is @param conntrack */
    public FlowEnder(Applier rules, ConntrackDoor conntrack, RuleSyncs heard) {
        this.rules = rules;
        this.heard = heard;
        this.conntrack = conntrack;
    }

    @Override
    public List<String> apply(ProxyImage image, ProxyDelta delta) {
        List<String> problems = new ArrayList<>(rules.apply(image, delta));
        delta.changes()
                .forEach(change -> due.merge(
                        change.name(),
                        change,
                        (first, last) ->
                                new ProxyDelta.Change(first.name(), first.before(), last.after())));
        StaleFlows stale = new StaleFlows(nodeAddresses);
        due.values().forEach(stale::add);
        if (stale.isEmpty()) {
            due.clear();
            return problems;
        }
        try {
            for (IpFamily family : IpFamily.values()) {
                if (stale.concerns(family)) {
                    long start = System.nanoTime();
                    int ended = conntrack.end(family, stale);
                    heard.onFlowsEnded(family, System.nanoTime() - start, ended);
                    LOG.debug("{} UDP flows ended", ended);
                }
            }
            due.clear();
        } catch (KernelException e) {
            problems.add(
                    "UDP flows to endpoints that are gone: " + e.getMessage()
                            + "; their clients may wait until the flows are idle; trying again at the next sync");
        }
        return problems;
    }

    @Override
    public List<String> onNode(NodeView node, Collection<IpAddress> interfaceAddresses) {
        nodeAddresses = List.copyOf(interfaceAddresses);
        return rules.onNode(node, interfaceAddresses);
    }

    @Override
    public List<String> onServiceRanges(List<Cidr> ranges) {
        return rules.onServiceRanges(ranges);
    }

    @Override
    public void drain(Duration deadline) {
        rules.drain(deadline);
    }

    @Override
    public void close() {
        rules.close();
        conntrack.close();
    }
}
