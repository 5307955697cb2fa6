package io.sluice.api.model;

import io.sluice.api.net.Protocol;

/**
 * One entry of {@code spec.ports}.
 *
 * @param name empty for the unnamed port
 * @param port 1…65535
 * @param nodePort 0 where there is none
 */
public record ServicePort(String name, Protocol protocol, int port, int nodePort) {}
