package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

/**
 * Names one Service port in one family: the unit in which a proxy thinks.
 *
 * @param port empty for the unnamed port
 */
public record ServicePortName(
        NamespacedName service, String port, Protocol protocol, IpFamily family)
        implements Comparable<ServicePortName> {

    @Override
    public int compareTo(ServicePortName other) {
        int result = service.compareTo(other.service);
        result = result != 0 ? result : port.compareTo(other.port);
        result = result != 0 ? result : protocol.compareTo(other.protocol);
        return result != 0 ? result : family.compareTo(other.family);
    }

    /** {@code namespace/name:port}; without the colon for the unnamed port. */
    @Override
    public String toString() {
        return port.isEmpty() ? service.toString() : service + ":" + port;
    }
}
