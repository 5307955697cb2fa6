package io.sluice.api.model;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;

import java.util.List;

/**
 * What a proxy needs of a v1 Node.
 *
 * @param zone value of label {@code topology.kubernetes.io/zone}; empty where it is missing
 * @param addresses {@code status.addresses} of type InternalIP first, then ExternalIP
 * @param podCidrs {@code spec.podCIDRs}
 * @param taintKeys keys of {@code spec.taints}
 * @param deleting whether {@code metadata.deletionTimestamp} is set
 */
public record Node(
        String name,
        String uid,
        String zone,
        List<IpAddress> addresses,
        List<Cidr> podCidrs,
        List<String> taintKeys,
        boolean deleting) {}
