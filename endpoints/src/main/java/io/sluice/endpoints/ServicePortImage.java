package io.sluice.endpoints;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;

import java.util.List;

/**
 * Everything one Service port means on this node, in one family.
 *
 * @param port 1…65535
 * @param nodePort 0 where there is none
 * @param vips load-balancer addresses this node captures ({@code ipMode: Proxy} ones are absent)
 * @param sourceRanges who may use the VIPs; empty means everybody
 * @param vipsRestricted whether {@code sourceRanges} apply: true with no range of this family means nobody
 * @param externalLocal whether externalTrafficPolicy Local is in effect
 * @param healthCheckNodePort 0 where no health-check server is wanted
 * @param affinitySeconds 0 without session affinity
 */
public record ServicePortImage(
        ServicePortName name,
        IpAddress clusterIp,
        int port,
        int nodePort,
        List<IpAddress> externalIps,
        List<IpAddress> vips,
        List<Cidr> sourceRanges,
        boolean vipsRestricted,
        boolean internalLocal,
        boolean externalLocal,
        int healthCheckNodePort,
        int affinitySeconds,
        EndpointChoice endpoints) {

    /** Candidates for the cluster IP. */
    public List<Backend> internalBackends() {
        return internalLocal ? endpoints.local() : endpoints.cluster();
    }

    /** Candidates for external IPs, VIPs and the node port, for clients off this node. */
    public List<Backend> externalBackends() {
        return externalLocal ? endpoints.local() : endpoints.cluster();
    }

    ServicePortImage withEndpoints(EndpointChoice choice) {
        return new ServicePortImage(
                name,
                clusterIp,
                port,
                nodePort,
                externalIps,
                vips,
                sourceRanges,
                vipsRestricted,
                internalLocal,
                externalLocal,
                healthCheckNodePort,
                affinitySeconds,
                choice);
    }
}
