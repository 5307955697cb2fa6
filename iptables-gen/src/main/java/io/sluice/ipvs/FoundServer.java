package io.sluice.ipvs;

import java.util.Map;

/** A virtual server as the kernel has it. @param realServers each with its state */
public record FoundServer(
        ServerAddress at,
        Scheduler scheduler,
        int persistenceSeconds,
        Map<RealServer, State> realServers) {

    /** Of a real server. @param connections active and inactive ones */
    public record State(int weight, long connections) {}
}
