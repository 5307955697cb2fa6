package io.sluice.api.model;

import io.sluice.api.meta.NamespacedName;

import java.util.List;

/**
 * What a proxy needs of a discovery.k8s.io/v1 EndpointSlice.
 *
 * @param serviceName value of label {@code kubernetes.io/service-name}; empty where it is missing
 * @param headless whether label {@code service.kubernetes.io/headless} is there
 * @param triggerTime milliseconds since the epoch from annotation
 *     {@code endpoints.kubernetes.io/last-change-trigger-time}; 0 where absent or unparsable
 */
public record EndpointSlice(
        NamespacedName name,
        String serviceName,
        boolean headless,
        AddressType addressType,
        List<Endpoint> endpoints,
        List<EndpointPort> ports,
        long triggerTime) {

    /** The Service this slice belongs to. */
    public NamespacedName service() {
        return new NamespacedName(name.namespace(), serviceName);
    }
}
