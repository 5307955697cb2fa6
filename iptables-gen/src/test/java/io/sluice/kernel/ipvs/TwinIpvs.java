package io.sluice.kernel.ipvs;

import io.sluice.api.net.IpFamily;
import io.sluice.ipvs.FoundServer;
import io.sluice.ipvs.Operation;
import io.sluice.ipvs.RealServer;
import io.sluice.ipvs.ServerAddress;
import io.sluice.ipvs.VirtualServer;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** IPVS in memory. Nobody connects to it. */
public final class TwinIpvs implements IpvsDoor {
    private final Map<ServerAddress, FoundServer> servers = new TreeMap<>();
    private Timeouts timeouts = new Timeouts(900, 120, 300);

    @Override
    public List<FoundServer> servers(IpFamily family) {
        return servers.values().stream()
                .filter(server -> server.at().address().family() == family)
                .map(server -> of(server, Map.copyOf(server.realServers())))
                .toList();
    }

    private static FoundServer of(FoundServer head, Map<RealServer, FoundServer.State> reals) {
        return new FoundServer(
                head.at(), head.scheduler(), head.hashesPort(), head.persistenceSeconds(), reals);
    }

    @Override
    public void apply(Operation operation) throws KernelException {
        switch (operation) {
            case Operation.AddServer(VirtualServer server) -> {
                check(!servers.containsKey(server.at()), Errno.EEXIST, operation);
                put(server, new HashMap<>());
            }
            case Operation.EditServer(VirtualServer server) ->
                put(server, reals(server.at(), operation));
            case Operation.DeleteServer(ServerAddress at) ->
                check(servers.remove(at) != null, Errno.ESRCH, operation);
            case Operation.AddReal(ServerAddress at, RealServer real) -> {
                Map<RealServer, FoundServer.State> reals = reals(at, operation);
                check(!reals.containsKey(real), Errno.EEXIST, operation);
                reals.put(real, new FoundServer.State(1, 0));
            }
            case Operation.SetWeight(ServerAddress at, RealServer real, int weight) -> {
                Map<RealServer, FoundServer.State> reals = reals(at, operation);
                check(reals.containsKey(real), Errno.ENOENT, operation);
                reals.put(real, new FoundServer.State(weight, 0));
            }
            case Operation.DeleteReal(ServerAddress at, RealServer real) ->
                check(reals(at, operation).remove(real) != null, Errno.ENOENT, operation);
        }
    }

    private void put(VirtualServer server, Map<RealServer, FoundServer.State> reals) {
        servers.put(
                server.at(),
                new FoundServer(
                        server.at(),
                        server.scheduler().word(),
                        server.hashesPort(),
                        server.persistenceSeconds(),
                        reals));
    }

    private Map<RealServer, FoundServer.State> reals(ServerAddress at, Operation operation)
            throws KernelException {
        check(servers.containsKey(at), Errno.ESRCH, operation);
        return servers.get(at).realServers();
    }

    private static void check(boolean holds, int errno, Operation operation)
            throws KernelException {
        if (!holds) {
            throw new KernelException("apply", operation.toString(), errno);
        }
    }

    @Override
    public Timeouts timeouts() {
        return timeouts;
    }

    @Override
    public void setTimeouts(Timeouts wanted) {
        timeouts = new Timeouts(
                wanted.tcp() == 0 ? timeouts.tcp() : wanted.tcp(),
                wanted.tcpFin() == 0 ? timeouts.tcpFin() : wanted.tcpFin(),
                wanted.udp() == 0 ? timeouts.udp() : wanted.udp());
    }

    @Override
    public void close() {}
}
