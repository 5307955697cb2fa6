package io.sluice.ipvs;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.Protocol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What turns the kernel's servers into the wanted ones. A TCP server that is no longer wanted stays with weight 0 while it has
 * connections, so the same plan, made again later, takes it away; nothing has to be remembered in between.
 */
public final class Repair {
    private Repair() {}

    /**
     * @param found of the same family
     * @param excluded virtual servers in these blocks belong to somebody else and are left alone
     */
    public static List<Operation> plan(
            SortedMap<ServerAddress, VirtualServer> wanted,
            Collection<FoundServer> found,
            List<Cidr> excluded) {
        SortedMap<ServerAddress, FoundServer> there = new TreeMap<>();
        found.forEach(server -> there.put(server.at(), server));
        List<Operation> out = new ArrayList<>();
        there.keySet().stream()
                .filter(at -> !wanted.containsKey(at))
                .filter(at -> excluded.stream().noneMatch(block -> block.contains(at.address())))
                .forEach(at -> out.add(new Operation.DeleteServer(at)));
        wanted.forEach((at, server) -> {
            FoundServer old = there.get(at);
            if (old == null) {
                out.add(new Operation.AddServer(server));
                server.realServers().forEach(real -> out.add(new Operation.AddReal(at, real)));
            } else {
                change(out, server, old);
            }
        });
        return out;
    }

    private static void change(List<Operation> out, VirtualServer server, FoundServer old) {
        ServerAddress at = server.at();
        if (!server.isSetAs(old)) {
            out.add(new Operation.EditServer(server));
        }
        Set<RealServer> keep = new HashSet<>(server.realServers());
        for (RealServer real : server.realServers()) {
            FoundServer.State state = old.realServers().get(real);
            if (state == null) {
                out.add(new Operation.AddReal(at, real));
            } else if (state.weight() != 1) {
                out.add(new Operation.SetWeight(at, real, 1));
            }
        }
        old.realServers().entrySet().stream()
                .filter(entry -> !keep.contains(entry.getKey()))
                .sorted(Map.Entry.comparingByKey((left, right) -> left.address()
                        .withPort(left.port())
                        .compareTo(right.address().withPort(right.port()))))
                .forEach(entry -> remove(out, at, entry.getKey(), entry.getValue()));
    }

    private static void remove(
            List<Operation> out, ServerAddress at, RealServer real, FoundServer.State state) {
        if (at.protocol() != Protocol.TCP || state.connections() == 0) {
            out.add(new Operation.DeleteReal(at, real));
        } else if (state.weight() != 0) {
            out.add(new Operation.SetWeight(at, real, 0));
        }
    }
}
