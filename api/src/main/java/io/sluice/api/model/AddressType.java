package io.sluice.api.model;

/** {@code addressType} of an EndpointSlice. */
public enum AddressType {
    IPV4,
    IPV6,
    FQDN
}
