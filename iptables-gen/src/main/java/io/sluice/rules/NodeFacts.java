package io.sluice.rules;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.NodeView;

import java.util.List;

/**
 * What a planner knows of its node besides the Services.
 *
 * @param interfaceAddresses of all interfaces but the proxy's own dummy, sorted; loopback included
 * @param serviceRanges of the cluster's ServiceCIDRs, sorted; may be empty
 */
public record NodeFacts(
        NodeView view, List<IpAddress> interfaceAddresses, List<Cidr> serviceRanges) {}
