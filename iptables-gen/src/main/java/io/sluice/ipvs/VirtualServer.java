package io.sluice.ipvs;

import java.util.List;

/**
 * A virtual server as it should be; every real server behind it has weight 1 and is reached by masquerading.
 *
 * @param persistenceSeconds how long a client keeps its real server; 0 without session affinity
 * @param realServers {@code address:port} of the same protocol; none makes the kernel refuse
 */
public record VirtualServer(
        ServerAddress at,
        Scheduler scheduler,
        int persistenceSeconds,
        List<RealServer> realServers) {

    /** Whether the scheduler hashes the client's port too: kube-proxy asks it of {@code mh} alone. */
    public boolean hashesPort() {
        return scheduler == Scheduler.MH;
    }

    boolean isSetAs(FoundServer found) {
        return scheduler.word().equals(found.scheduler())
                && hashesPort() == found.hashesPort()
                && persistenceSeconds == found.persistenceSeconds();
    }
}
