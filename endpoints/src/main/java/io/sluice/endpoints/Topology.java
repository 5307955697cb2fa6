package io.sluice.endpoints;

import io.sluice.api.model.Endpoint;
import io.sluice.endpoints.LeftOut.Reason;

import java.util.List;

/** How hints narrow the Cluster list; what Kubernetes calls PreferSameNode and PreferSameZone arrives here. Pure. */
enum Topology {
    /** Hints are missing on some ready endpoint, or none names us: everybody may receive. */
    NONE,
    SAME_ZONE,
    SAME_NODE;

    static Topology of(List<Endpoint> ready, NodeView node) {
        if (ready.isEmpty()) {
            return NONE;
        }
        boolean allNodes =
                ready.stream().noneMatch(endpoint -> endpoint.nodeHints().isEmpty());
        if (allNodes
                && !node.name().isEmpty()
                && ready.stream()
                        .anyMatch(endpoint -> endpoint.nodeHints().contains(node.name()))) {
            return SAME_NODE;
        }
        boolean allZones =
                ready.stream().noneMatch(endpoint -> endpoint.zoneHints().isEmpty());
        if (allZones
                && !node.zone().isEmpty()
                && ready.stream()
                        .anyMatch(endpoint -> endpoint.zoneHints().contains(node.zone()))) {
            return SAME_ZONE;
        }
        return NONE;
    }

    boolean admits(Endpoint endpoint, NodeView node) {
        return switch (this) {
            case NONE -> true;
            case SAME_ZONE -> endpoint.zoneHints().contains(node.zone());
            case SAME_NODE -> endpoint.nodeHints().contains(node.name());
        };
    }

    /** Why a ready endpoint is not admitted. */
    Reason reason() {
        return this == SAME_NODE ? Reason.NOT_HINTED_NODE : Reason.OTHER_ZONE;
    }

    /** The values behind {@link #reason}, for people. */
    String detail(Endpoint endpoint, NodeView node) {
        return this == SAME_NODE
                ? "hints name node " + String.join(", ", endpoint.nodeHints()) + ", this is node "
                        + node.name()
                : "hints name zone " + String.join(", ", endpoint.zoneHints()) + ", this is zone "
                        + node.zone();
    }
}
