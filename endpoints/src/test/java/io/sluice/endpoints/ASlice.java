package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.AddressType;
import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointPort;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import java.util.ArrayList;
import java.util.List;

/** Builds an EndpointSlice of {@code shop/web}; its address type is that of its first endpoint. */
final class ASlice {
    private final NamespacedName name;
    private String service = "web";
    private boolean headless;
    private AddressType type;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<EndpointPort> ports = new ArrayList<>();
    private long triggerTime;

    private ASlice(String name) {
        this.name = new NamespacedName("shop", name);
    }

    static ASlice named(String name) {
        return new ASlice(name);
    }

    ASlice of(String serviceName) {
        service = serviceName;
        return this;
    }

    ASlice headless() {
        headless = true;
        return this;
    }

    ASlice type(AddressType value) {
        type = value;
        return this;
    }

    ASlice port(String portName, Protocol protocol, int port) {
        ports.add(new EndpointPort(portName, protocol, port));
        return this;
    }

    /** The usual port: {@code http}, TCP 8080. */
    ASlice http() {
        return port("http", Protocol.TCP, 8080);
    }

    ASlice triggered(long millis) {
        triggerTime = millis;
        return this;
    }

    ASlice endpoint(AnEndpoint endpoint) {
        endpoints.add(endpoint.build());
        return this;
    }

    /** Ready endpoints on {@code node-2}. */
    ASlice ready(String... addresses) {
        for (String address : addresses) {
            endpoint(AnEndpoint.at(address));
        }
        return this;
    }

    EndpointSlice build() {
        AddressType found = type != null || endpoints.isEmpty()
                ? type
                : typeOf(endpoints.getFirst().address());
        return new EndpointSlice(
                name,
                service,
                headless,
                found == null ? AddressType.IPV4 : found,
                List.copyOf(endpoints),
                List.copyOf(ports),
                triggerTime);
    }

    private static AddressType typeOf(IpAddress address) {
        return address.family() == IpFamily.IPV4 ? AddressType.IPV4 : AddressType.IPV6;
    }
}
