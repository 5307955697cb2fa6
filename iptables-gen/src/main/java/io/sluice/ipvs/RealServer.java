package io.sluice.ipvs;

import io.sluice.api.net.IpAddress;

/** Who answers behind a virtual server. */
public record RealServer(IpAddress address, int port) {}
