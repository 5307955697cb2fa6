package io.sluice.api.model;

import io.sluice.api.net.IpAddress;

import java.util.List;

/**
 * One entry of a slice's {@code endpoints}; nil conditions have their defaults already (ready, serving, not terminating).
 *
 * @param address the first of {@code addresses}; the others have no meaning to a proxy
 * @param nodeName empty where it is nil
 * @param zone empty where it is nil
 * @param zoneHints names in {@code hints.forZones}
 * @param nodeHints names in {@code hints.forNodes}
 * @param target name of {@code targetRef}, for people; empty where there is none
 */
public record Endpoint(
        IpAddress address,
        boolean ready,
        boolean serving,
        boolean terminating,
        String nodeName,
        String zone,
        List<String> zoneHints,
        List<String> nodeHints,
        String target) {}
