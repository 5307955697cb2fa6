package io.sluice.rules;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;

/**
 * The first packet of a connection, as it reaches the node's hooks.
 *
 * @param inInterface through which it came; empty for a process of the node
 * @param fromLocal whether the source is an address of the node
 * @param toLocal whether the destination is an address of the node
 */
public record Packet(
        String inInterface,
        IpAddress from,
        boolean fromLocal,
        IpAddress to,
        boolean toLocal,
        int port,
        Protocol protocol) {}
