package io.sluice.endpoints;

import io.sluice.api.net.IpAddress;

import java.util.List;

/**
 * Who may receive a connection to one Service port on this node.
 *
 * @param cluster candidates under policy Cluster, sorted as text; topology is applied already
 * @param local candidates under policy Local, sorted as text
 * @param anywhere whether any node has a usable endpoint: tells DROP from REJECT when a list is empty
 * @param serving every endpoint that still serves, ready or terminating: UDP flows to others end
 * @param localReady addresses of ready endpoints on this node, without terminating stand-ins
 * @param leftOut endpoints in neither list, and those missing from one of them, with reasons
 */
public record EndpointChoice(
        List<Backend> cluster,
        List<Backend> local,
        boolean anywhere,
        List<Backend> serving,
        List<IpAddress> localReady,
        List<LeftOut> leftOut) {

    public static final EndpointChoice NONE =
            new EndpointChoice(List.of(), List.of(), false, List.of(), List.of(), List.of());
}
