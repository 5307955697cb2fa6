package io.sluice.endpoints;

import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.LeftOut.Reason;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Decides who may receive a connection to a Service port: the readiness gate. Pure.
 *
 * <p>Ready endpoints come first. Under policy Cluster they are narrowed to this node's hints, if every ready endpoint has them. Where
 * nothing is ready, those that are terminating but still serve stand in; for the Local list this is decided among local endpoints
 * alone. Used for one check-out, by one thread.
 */
final class EndpointChooser {
    private final NodeView node;
    private final Map<String, String> texts = new HashMap<>();

    EndpointChooser(NodeView node) {
        this.node = node;
    }

    /** Which of the two lists a Service port ever reads: absence from the other is no news. */
    private record Uses(boolean cluster, boolean local) {
        static Uses of(ServicePortImage port) {
            boolean external = port.nodePort() != 0
                    || !port.vips().isEmpty()
                    || !port.externalIps().isEmpty();
            return new Uses(
                    !port.internalLocal() || external,
                    port.internalLocal() || port.externalLocal() && external);
        }
    }

    /**
     * @param port an image with its policies; its endpoints are not read
     * @param slices all slices of the Service
     * @param families those the Service has
     */
    EndpointChoice choose(
            ServicePortImage port, Collection<EndpointSlice> slices, Set<IpFamily> families) {
        List<LeftOut> leftOut = new ArrayList<>();
        List<Candidate> all =
                new SliceMerger(port.name(), node.name(), families, leftOut).merge(slices);
        List<Endpoint> ready = new ArrayList<>(all.size());
        boolean standIns = false;
        boolean localReady = false;
        for (Candidate candidate : all) {
            standIns |= candidate.standIn();
            if (candidate.ready()) {
                ready.add(candidate.endpoint());
                localReady |= candidate.local();
            }
        }
        Topology topology = Topology.of(ready, node);
        // Hints apply only where some ready endpoint has ours, so they never empty the list.
        Predicate<Candidate> inCluster = ready.isEmpty()
                ? Candidate::standIn
                : candidate -> candidate.ready() && topology.admits(candidate.endpoint(), node);
        Predicate<Candidate> ofNode = localReady ? Candidate::ready : Candidate::standIn;
        Predicate<Candidate> inLocal = ofNode.and(Candidate::local);

        Uses uses = Uses.of(port);
        for (Candidate candidate : all) {
            boolean missesCluster = uses.cluster() && !inCluster.test(candidate);
            boolean missesLocal = uses.local() && !inLocal.test(candidate);
            if (missesCluster || missesLocal) {
                leftOut.add(leftOut(candidate, missesCluster, topology));
            }
        }
        List<Backend> cluster = backends(all, inCluster, List.of());
        return new EndpointChoice(
                cluster,
                backends(all, inLocal, cluster),
                !ready.isEmpty() || standIns,
                backends(all, Candidate::keepsFlows, cluster),
                localReady ? localReady(all) : List.of(),
                List.copyOf(leftOut));
    }

    private LeftOut leftOut(Candidate candidate, boolean missesCluster, Topology topology) {
        Endpoint endpoint = candidate.endpoint();
        if (!candidate.ready() && !candidate.standIn()) {
            return endpoint.terminating()
                    ? candidate.leftOut(
                            Reason.TERMINATING_NOT_SERVING, "terminating, and serving is false")
                    : candidate.leftOut(
                            Reason.NOT_READY,
                            endpoint.serving()
                                    ? "not ready: condition ready is false, serving is true"
                                    : "not ready: condition ready is false, serving is false");
        }
        if (!candidate.ready() && (missesCluster || candidate.local())) {
            return candidate.leftOut(
                    Reason.TERMINATING, "terminating; ready endpoints are preferred");
        }
        if (missesCluster) {
            return candidate.leftOut(topology.reason(), shared(topology.detail(endpoint, node)));
        }
        String where = endpoint.nodeName().isEmpty()
                ? "on no known node"
                : "on node " + endpoint.nodeName();
        return candidate.leftOut(
                Reason.OTHER_NODE,
                shared(where + "; a Local traffic policy wants node " + node.name()));
    }

    /** The same texts come for every endpoint of a node or zone: one object each, or they outweigh the endpoints. */
    private String shared(String text) {
        return texts.computeIfAbsent(text, same -> same);
    }

    private static List<IpAddress> localReady(List<Candidate> all) {
        return all.stream()
                .filter(candidate -> candidate.ready() && candidate.local())
                .map(candidate -> candidate.backend().address())
                .distinct()
                .sorted()
                .toList();
    }

    /** @param twin another list, kept instead where it is equal: most Services have three equal lists */
    private static List<Backend> backends(
            List<Candidate> all, Predicate<Candidate> wanted, List<Backend> twin) {
        List<Backend> out = all.stream().filter(wanted).map(Candidate::backend).toList();
        return out.equals(twin) ? twin : out;
    }
}
