package io.sluice.api.model;

import io.sluice.api.net.Cidr;

import java.util.List;

/**
 * What a proxy needs of a networking.k8s.io/v1 ServiceCIDR.
 *
 * @param blocks {@code spec.cidrs}: out of these come cluster IPs
 */
public record ServiceCidr(String name, List<Cidr> blocks) {}
