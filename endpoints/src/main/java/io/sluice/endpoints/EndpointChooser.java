package io.sluice.endpoints;

import io.sluice.api.model.AddressType;
import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointPort;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.LeftOut.Reason;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Decides who may receive a connection to a Service port: the readiness gate. Pure.
 *
 * <p>Ready endpoints come first. Under policy Cluster they are narrowed to this node's hints, if every ready endpoint has them. Where
 * no ready endpoint is left, those that are terminating but still serve stand in; for the Local list this is decided among local
 * endpoints alone.
 */
final class EndpointChooser {
    private final NodeView node;

    EndpointChooser(NodeView node) {
        this.node = node;
    }

    /** One address and port; several slices may name it. */
    private record Target(IpAddress address, int port) {}

    private record Candidate(Target target, Endpoint endpoint, boolean local) {
        boolean ready() {
            return endpoint.ready();
        }

        boolean fallback() {
            return endpoint.serving() && endpoint.terminating();
        }

        Backend backend() {
            return new Backend(target.address(), target.port(), local);
        }

        LeftOut leftOut(Reason reason, String detail) {
            return new LeftOut(
                    target.address(),
                    target.port(),
                    endpoint.nodeName(),
                    endpoint.target(),
                    reason,
                    detail);
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
        List<Candidate> all = candidates(port, slices, families, leftOut);
        List<Candidate> ready = all.stream().filter(Candidate::ready).toList();
        List<Candidate> serving = all.stream().filter(Candidate::fallback).toList();

        Topology topology = Topology.of(ready.stream().map(Candidate::endpoint).toList(), node);
        List<Candidate> near =
                keep(ready, candidate -> topology.admits(candidate.endpoint(), node));
        List<Candidate> cluster = near.isEmpty() ? serving : near;

        List<Candidate> localReady = keep(ready, Candidate::local);
        List<Candidate> local = localReady.isEmpty() ? keep(serving, Candidate::local) : localReady;

        boolean usesLocal = port.internalLocal() || port.externalLocal();
        boolean usesCluster = !port.internalLocal()
                || port.nodePort() != 0
                || !port.vips().isEmpty()
                || !port.externalIps().isEmpty();
        for (Candidate candidate : all) {
            explain(candidate, cluster, local, usesCluster, usesLocal, topology, leftOut);
        }
        return new EndpointChoice(
                backends(cluster),
                backends(local),
                !ready.isEmpty() || !serving.isEmpty(),
                backends(keep(
                        all, candidate -> candidate.endpoint().serving() || candidate.ready())),
                localReady.stream()
                        .map(candidate -> candidate.target().address())
                        .distinct()
                        .sorted()
                        .toList(),
                List.copyOf(leftOut));
    }

    private List<Candidate> candidates(
            ServicePortImage port,
            Collection<EndpointSlice> slices,
            Set<IpFamily> families,
            List<LeftOut> leftOut) {
        Map<Target, Candidate> merged = new LinkedHashMap<>();
        // In the order of slice names, so that the choice between equals is always the same.
        List<EndpointSlice> sorted = slices.stream()
                .sorted(Comparator.comparing(EndpointSlice::name))
                .toList();
        for (EndpointSlice slice : sorted) {
            AddressType type = slice.addressType();
            boolean sameFamily = type.name().equals(port.name().family().name());
            if (!sameFamily) {
                boolean otherEngine =
                        families.stream().anyMatch(family -> family.name().equals(type.name()));
                if (!otherEngine) {
                    slice.endpoints()
                            .forEach(endpoint -> leftOut.add(outside(
                                    endpoint,
                                    Reason.OTHER_FAMILY,
                                    "slice " + slice.name() + " has addresses of type " + type)));
                }
            } else if (slice.headless()) {
                slice.endpoints()
                        .forEach(endpoint -> leftOut.add(outside(
                                endpoint,
                                Reason.HEADLESS,
                                "slice " + slice.name()
                                        + " has label service.kubernetes.io/headless")));
            } else {
                merge(port, slice, merged, leftOut);
            }
        }
        return List.copyOf(merged.values());
    }

    private void merge(
            ServicePortImage port,
            EndpointSlice slice,
            Map<Target, Candidate> merged,
            List<LeftOut> leftOut) {
        List<EndpointPort> ports = slice.ports().stream()
                .filter(candidate -> candidate.name().equals(port.name().port())
                        && candidate.protocol() == port.name().protocol())
                .toList();
        for (Endpoint endpoint : slice.endpoints()) {
            if (ports.isEmpty()) {
                leftOut.add(outside(
                        endpoint,
                        Reason.NO_SUCH_PORT,
                        "slice " + slice.name() + " has no " + port.name().protocol()
                                + " port named \"" + port.name().port() + '"'));
            }
            boolean local = !node.name().isEmpty() && endpoint.nodeName().equals(node.name());
            for (EndpointPort endpointPort : ports) {
                Target target = new Target(endpoint.address(), endpointPort.port());
                merged.merge(
                        target, new Candidate(target, endpoint, local), EndpointChooser::better);
            }
        }
    }

    /** Of two endpoints with one address: running beats terminating, then ready beats not ready, then the first slice's. */
    private static Candidate better(Candidate first, Candidate second) {
        return rank(second.endpoint()) > rank(first.endpoint()) ? second : first;
    }

    private static int rank(Endpoint endpoint) {
        return (endpoint.terminating() ? 0 : 4)
                + (endpoint.ready() ? 2 : 0)
                + (endpoint.serving() ? 1 : 0);
    }

    private LeftOut outside(Endpoint endpoint, Reason reason, String detail) {
        return new LeftOut(
                endpoint.address(), 0, endpoint.nodeName(), endpoint.target(), reason, detail);
    }

    private void explain(
            Candidate candidate,
            List<Candidate> cluster,
            List<Candidate> local,
            boolean usesCluster,
            boolean usesLocal,
            Topology topology,
            List<LeftOut> leftOut) {
        boolean inCluster = usesCluster && cluster.contains(candidate);
        boolean inLocal = usesLocal && local.contains(candidate);
        if (inCluster == usesCluster && inLocal == usesLocal) {
            return;
        }
        Endpoint endpoint = candidate.endpoint();
        if (!endpoint.ready() && endpoint.terminating()) {
            boolean serves = endpoint.serving();
            leftOut.add(candidate.leftOut(
                    serves ? Reason.TERMINATING : Reason.TERMINATING_NOT_SERVING,
                    serves
                            ? "terminating; ready endpoints are preferred"
                            : "terminating, and serving is false"));
        } else if (!endpoint.ready()) {
            leftOut.add(candidate.leftOut(
                    Reason.NOT_READY,
                    "condition ready is false"
                            + (endpoint.serving() ? ", serving is true" : ", serving is false")));
        } else if (usesCluster && !inCluster) {
            leftOut.add(
                    topology.leftOut(candidate.endpoint(), candidate.target().port(), node));
        } else {
            String where = endpoint.nodeName().isEmpty()
                    ? "on no known node"
                    : "on node " + endpoint.nodeName();
            leftOut.add(candidate.leftOut(
                    Reason.OTHER_NODE,
                    where + "; a Local traffic policy wants node " + node.name()));
        }
    }

    private static List<Candidate> keep(List<Candidate> candidates, Predicate<Candidate> wanted) {
        return candidates.stream().filter(wanted).toList();
    }

    private static List<Backend> backends(List<Candidate> candidates) {
        return candidates.stream()
                .map(Candidate::backend)
                .sorted(Comparator.comparing(Backend::text))
                .toList();
    }
}
