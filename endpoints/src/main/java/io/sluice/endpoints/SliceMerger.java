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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes one list of candidates of all slices of a Service. Pure.
 *
 * <p>Several slices, or several endpoints of one, may name the same address and port: a Pod moves between slices, or an address passes
 * from one Pod to the next. One candidate is left, always the same one whatever the order of arrival: running beats terminating, then
 * ready beats not ready, then serving beats not serving, then the slice whose name comes first, then the earlier place in the slice.
 */
final class SliceMerger {
    private final ServicePortName name;
    private final String node;
    private final Set<IpFamily> families;
    private final List<LeftOut> leftOut;
    private final Map<Target, Candidate> merged = new HashMap<>();

    private record Target(IpAddress address, int port) {}

    /**
     * @param node own node's name; empty where unknown, then nothing is local
     * @param families those the Service has: endpoints of another of them belong there and need no word here
     * @param leftOut takes endpoints that cannot be candidates
     */
    SliceMerger(ServicePortName name, String node, Set<IpFamily> families, List<LeftOut> leftOut) {
        this.name = name;
        this.node = node;
        this.families = families;
        this.leftOut = leftOut;
    }

    /** @return candidates sorted by text */
    List<Candidate> merge(Collection<EndpointSlice> slices) {
        slices.stream().sorted(Comparator.comparing(EndpointSlice::name)).forEach(this::add);
        List<Candidate> out = new ArrayList<>(merged.values());
        out.sort(Comparator.comparing(Candidate::text));
        return out;
    }

    private void add(EndpointSlice slice) {
        AddressType type = slice.addressType();
        if (!type.name().equals(name.family().name())) {
            boolean elsewhere =
                    families.stream().anyMatch(family -> family.name().equals(type.name()));
            if (!elsewhere) {
                leaveOut(slice, Reason.OTHER_FAMILY, "has addresses of type " + type);
            }
        } else if (slice.headless()) {
            leaveOut(slice, Reason.HEADLESS, "has label service.kubernetes.io/headless");
        } else {
            addEndpoints(slice);
        }
    }

    private void addEndpoints(EndpointSlice slice) {
        List<EndpointPort> ports = slice.ports().stream()
                .filter(port ->
                        port.name().equals(name.port()) && port.protocol() == name.protocol())
                .toList();
        if (ports.isEmpty()) {
            leaveOut(
                    slice,
                    Reason.NO_SUCH_PORT,
                    "has no " + name.protocol() + " port named \"" + name.port() + '"');
        }
        for (EndpointPort port : ports) {
            for (Endpoint endpoint : slice.endpoints()) {
                Target target = new Target(endpoint.address(), port.port());
                Candidate known = merged.get(target);
                if (known == null || rank(endpoint) > rank(known.endpoint())) {
                    merged.put(target, candidate(endpoint, port.port()));
                }
            }
        }
    }

    private Candidate candidate(Endpoint endpoint, int port) {
        boolean local = !node.isEmpty() && endpoint.nodeName().equals(node);
        Backend backend = new Backend(endpoint.address(), port, local);
        return new Candidate(backend, endpoint, backend.text());
    }

    private static int rank(Endpoint endpoint) {
        return (endpoint.terminating() ? 0 : 4)
                + (endpoint.ready() ? 2 : 0)
                + (endpoint.serving() ? 1 : 0);
    }

    private void leaveOut(EndpointSlice slice, Reason reason, String finding) {
        String detail = "slice " + slice.name() + ' ' + finding;
        for (Endpoint endpoint : slice.endpoints()) {
            leftOut.add(new LeftOut(
                    endpoint.address(), 0, endpoint.nodeName(), endpoint.target(), reason, detail));
        }
    }
}
