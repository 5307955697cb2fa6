package io.sluice.api.model;

import io.sluice.api.net.IpAddress;

/**
 * One entry of {@code status.loadBalancer.ingress} that has an address.
 *
 * @param proxyMode whether {@code ipMode} is {@code Proxy}: the balancer terminates the connection itself, so the node must
 *     not capture the address
 */
public record LoadBalancerIngress(IpAddress ip, boolean proxyMode) {}
