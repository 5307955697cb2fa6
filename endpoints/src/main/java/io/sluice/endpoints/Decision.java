package io.sluice.endpoints;

import io.sluice.api.net.IpAddress;

import java.util.List;

/** What happens to a new connection. */
public sealed interface Decision {

    /** One of these receives it. @param keepSource false: the backend sees the node's address */
    record Forward(List<Backend> backends, boolean keepSource) implements Decision {}

    /** The client is told at once that nobody is there. */
    record Reject(String why) implements Decision {}

    /** The client hears nothing. */
    record Drop(String why) implements Decision {}

    /**
     * Decides by the table all modes share. Pure.
     *
     * @param source the client's address
     */
    static Decision of(
            ServicePortImage port, Frontend.Kind kind, SourceClass from, IpAddress source) {
        boolean restricted = kind == Frontend.Kind.LOAD_BALANCER && port.vipsRestricted();
        EndpointChoice endpoints = port.endpoints();
        if (!endpoints.anywhere()) {
            return new Reject("Service " + port.name() + " has no usable endpoint on any node");
        }
        if (restricted && port.sourceRanges().stream().noneMatch(range -> range.contains(source))) {
            return new Drop(source + " is outside loadBalancerSourceRanges " + port.sourceRanges());
        }
        boolean internal = kind == Frontend.Kind.CLUSTER_IP;
        boolean local = internal ? port.internalLocal() : port.externalLocal();
        // An external Local policy binds only clients off the node: others are as near to any
        // endpoint as to a local one.
        boolean shortCut = !internal && local && from != SourceClass.OUTSIDE;
        List<Backend> list = local && !shortCut ? endpoints.local() : endpoints.cluster();
        if (list.isEmpty()) {
            String policy = internal ? "internalTrafficPolicy" : "externalTrafficPolicy";
            return local
                    ? new Drop(policy + " is Local and no endpoint is on this node")
                    : new Reject("Service " + port.name() + " has no endpoint this node may use");
        }
        boolean keepSource = internal ? from == SourceClass.POD : local && from != SourceClass.NODE;
        return new Forward(list, keepSource);
    }
}
