package io.sluice.endpoints;

import io.sluice.endpoints.LeftOut.Reason;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What to look at when a frontend does not forward. Pure. */
final class Advice {
    private Advice() {}

    /** @return nothing where every client is served */
    static List<String> of(
            ServicePortImage port, Frontend.Kind kind, List<Decision> decisions, String node) {
        if (!port.endpoints().anywhere()) {
            return forNone(port);
        }
        boolean internal = kind == Frontend.Kind.CLUSTER_IP;
        boolean local = internal ? port.internalLocal() : port.externalLocal();
        boolean silent = decisions.stream().anyMatch(Decision.Drop.class::isInstance);
        List<String> out = new ArrayList<>(2);
        if (local && silent && port.endpoints().local().isEmpty()) {
            String field = internal ? "internalTrafficPolicy" : "externalTrafficPolicy";
            out.add("to serve these clients, run a ready endpoint on node " + node + " or set "
                    + field + " to Cluster");
        }
        if (kind == Frontend.Kind.LOAD_BALANCER && port.vipsRestricted()) {
            out.add(
                    port.sourceRanges().isEmpty()
                            ? "loadBalancerSourceRanges lists no range of "
                                    + port.name().family().text()
                                    + ": no client of this family is admitted"
                            : "clients outside of loadBalancerSourceRanges " + port.sourceRanges()
                                    + " hear nothing");
        }
        return out;
    }

    private static List<String> forNone(ServicePortImage port) {
        Map<Reason, Integer> counts = new EnumMap<>(Reason.class);
        port.endpoints().leftOut().forEach(out -> counts.merge(out.reason(), 1, Integer::sum));
        if (counts.isEmpty()) {
            return List.of("no EndpointSlice of Service "
                    + port.name().service()
                    + " has an endpoint: see whether its selector matches Pods, and for slices made by hand their label"
                    + " kubernetes.io/service-name");
        }
        List<String> out = new ArrayList<>(counts.size());
        counts.forEach((reason, count) -> out.add(count + " × " + remedy(reason, port)));
        return out;
    }

    private static String remedy(Reason reason, ServicePortImage port) {
        return switch (reason) {
            case NOT_READY -> "not ready: see the readiness probes of these Pods";
            case TERMINATING, TERMINATING_NOT_SERVING -> "terminating: see whether new Pods start";
            case OTHER_NODE, OTHER_ZONE, NOT_HINTED_NODE ->
                "elsewhere: see hints and traffic policies";
            case OTHER_FAMILY ->
                "of another address family: the Service has a cluster IP of "
                        + port.name().family().text() + ", see its ipFamilies";
            case NO_SUCH_PORT ->
                "without this port: compare name and protocol of the Service's port with the slices' ports";
            case HEADLESS ->
                "hidden: label service.kubernetes.io/headless is on the slice, and the Service has a cluster IP";
        };
    }
}
