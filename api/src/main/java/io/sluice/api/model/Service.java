package io.sluice.api.model;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.List;

/**
 * What a proxy needs of a v1 Service, and no more. Values that could not be parsed were reported by the decoder and are absent.
 *
 * @param ipFamilies as listed, maybe empty
 * @param clusterIps as in {@code clusterIPs}, or the one {@code clusterIP}; empty where it is empty, or {@code None} (then
 *     {@code headless})
 * @param sourceRanges of both families; bad entries are absent
 * @param externalLocal whether {@code externalTrafficPolicy} is {@code Local}
 * @param internalLocal whether {@code internalTrafficPolicy} is {@code Local}
 * @param healthCheckNodePort 0 where there is none
 * @param affinitySeconds 0 for {@code sessionAffinity: None}, else 1…86400
 * @param proxyName value of label {@code service.kubernetes.io/service-proxy-name}; empty where the label is absent
 * @param proxyNamed whether that label is there, even if empty
 */
public record Service(
        NamespacedName name,
        String uid,
        ServiceType type,
        boolean headless,
        List<IpFamily> ipFamilies,
        List<IpAddress> clusterIps,
        List<ServicePort> ports,
        List<IpAddress> externalIps,
        List<LoadBalancerIngress> ingress,
        List<Cidr> sourceRanges,
        boolean externalLocal,
        boolean internalLocal,
        int healthCheckNodePort,
        int affinitySeconds,
        String proxyName,
        boolean proxyNamed) {}
