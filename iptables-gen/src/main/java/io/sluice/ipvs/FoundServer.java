package io.sluice.ipvs;

import java.util.Map;

/**
 * A virtual server as the kernel has it.
 *
 * @param scheduler the kernel's name; may be one that {@link Scheduler} does not have
 * @param hashesPort whether its second scheduler flag is set
 * @param persistenceSeconds 0 where it is not persistent
 * @param realServers each with its state
 */
public record FoundServer(
        ServerAddress at,
        String scheduler,
        boolean hashesPort,
        int persistenceSeconds,
        Map<RealServer, State> realServers) {

    /** Of a real server. @param connections active and inactive ones */
    public record State(int weight, long connections) {}
}
