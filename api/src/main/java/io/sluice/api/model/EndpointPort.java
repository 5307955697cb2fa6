package io.sluice.api.model;

import io.sluice.api.net.Protocol;

/**
 * One usable entry of a slice's {@code ports}: entries without a name field or port number are left out by the decoder.
 *
 * @param name empty for the unnamed port
 * @param port 1…65535
 */
public record EndpointPort(String name, Protocol protocol, int port) {}
