package io.sluice.dataplane.relay;

import io.sluice.api.net.Cidr;
import io.sluice.endpoints.NodePortAddresses;

import java.util.List;

/**
 * How the relay is set up.
 *
 * @param loops threads that carry bytes
 * @param serviceRanges made local with one route each; cluster IPs outside of them get their own
 * @param podBlocks from which this node's pods come; may be empty
 * @param nodePortAddresses where node ports answer
 */
public record RelayConfig(
        int loops,
        List<Cidr> serviceRanges,
        List<Cidr> podBlocks,
        NodePortAddresses nodePortAddresses) {}
