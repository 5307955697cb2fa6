package io.sluice.kernel.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.ipvs.FoundServer;
import io.sluice.ipvs.Operation;
import io.sluice.ipvs.RealServer;
import io.sluice.ipvs.Repair;
import io.sluice.ipvs.Scheduler;
import io.sluice.ipvs.ServerAddress;
import io.sluice.ipvs.VirtualServer;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What every door to IPVS keeps, in memory and in the kernel. Begins and ends with no virtual server. */
final class IpvsContract {
    private static final FoundServer.State IDLE = new FoundServer.State(1, 0);

    private final IpvsDoor door;
    private final IpFamily family;

    private IpvsContract(IpvsDoor door, IpFamily family) {
        this.door = door;
        this.family = family;
    }

    static void check(IpvsDoor door) throws KernelException {
        for (IpFamily family : IpFamily.values()) {
            IpvsContract contract = new IpvsContract(door, family);
            contract.keepsWhatItIsGiven();
            contract.repairsInOneTurn();
            contract.refusesWhatCannotBe();
        }
        setsTimeouts(door);
    }

    private IpAddress address(int last) {
        return IpAddress.of((family == IpFamily.IPV4 ? "10.96.0." : "fd00:96::") + last);
    }

    private RealServer real(int last) {
        return new RealServer(
                IpAddress.of((family == IpFamily.IPV4 ? "10.1.0." : "fd00:1::") + last), 8080);
    }

    private VirtualServer server(
            int last, Protocol protocol, Scheduler scheduler, int seconds, RealServer... reals) {
        ServerAddress at = new ServerAddress(address(last), 80, protocol);
        return new VirtualServer(at, scheduler, seconds, List.of(reals));
    }

    private void keepsWhatItIsGiven() throws KernelException {
        VirtualServer server = server(1, Protocol.TCP, Scheduler.RR, 0);
        door.apply(new Operation.AddServer(server));
        door.apply(new Operation.AddReal(server.at(), real(1)));
        door.apply(new Operation.AddReal(server.at(), real(2)));
        door.apply(new Operation.SetWeight(server.at(), real(2), 0));
        FoundServer.State resting = new FoundServer.State(0, 0);
        assertThat(door.servers(family))
                .containsExactly(new FoundServer(
                        server.at(), "rr", false, 0, Map.of(real(1), IDLE, real(2), resting)));

        door.apply(new Operation.EditServer(server(1, Protocol.TCP, Scheduler.MH, 10_800)));
        door.apply(new Operation.DeleteReal(server.at(), real(2)));
        assertThat(door.servers(family))
                .containsExactly(
                        new FoundServer(server.at(), "mh", true, 10_800, Map.of(real(1), IDLE)));

        door.apply(new Operation.EditServer(server));
        assertThat(door.servers(family))
                .containsExactly(
                        new FoundServer(server.at(), "rr", false, 0, Map.of(real(1), IDLE)));
        for (IpFamily other : IpFamily.values()) {
            assertThat(door.servers(other)).hasSize(other == family ? 1 : 0);
        }
        door.apply(new Operation.DeleteServer(server.at()));
        assertThat(door.servers(family)).isEmpty();
    }

    private void repairsInOneTurn() throws KernelException {
        List<VirtualServer> foreign = List.of(
                server(1, Protocol.TCP, Scheduler.RR, 0),
                server(9, Protocol.SCTP, Scheduler.RR, 0));
        for (VirtualServer each : foreign) {
            door.apply(new Operation.AddServer(each));
            door.apply(new Operation.AddReal(each.at(), real(7)));
        }
        TreeMap<ServerAddress, VirtualServer> wanted = new TreeMap<>();
        for (Scheduler scheduler : Scheduler.values()) {
            int last = 1 + scheduler.ordinal();
            VirtualServer tcp = server(last, Protocol.TCP, scheduler, 60, real(1), real(2));
            VirtualServer udp = server(last, Protocol.UDP, scheduler, 0, real(1));
            wanted.put(tcp.at(), tcp);
            wanted.put(udp.at(), udp);
        }
        repair(wanted);
        assertThat(Repair.plan(wanted, door.servers(family), List.of())).isEmpty();
        assertThat(door.servers(family)).hasSize(wanted.size());
        repair(new TreeMap<>());
        assertThat(door.servers(family)).isEmpty();
    }

    private void repair(TreeMap<ServerAddress, VirtualServer> wanted) throws KernelException {
        for (Operation operation : Repair.plan(wanted, door.servers(family), List.of())) {
            door.apply(operation);
        }
    }

    private void refusesWhatCannotBe() throws KernelException {
        VirtualServer server = server(1, Protocol.UDP, Scheduler.RR, 0);
        List<Operation> early = new ArrayList<>(List.of(
                new Operation.EditServer(server),
                new Operation.DeleteServer(server.at()),
                new Operation.AddReal(server.at(), real(1))));
        early.forEach(operation -> refuses(operation, Errno.ESRCH));
        door.apply(new Operation.AddServer(server));
        refuses(new Operation.AddServer(server), Errno.EEXIST);
        refuses(new Operation.DeleteReal(server.at(), real(1)), Errno.ENOENT);
        refuses(new Operation.SetWeight(server.at(), real(1), 0), Errno.ENOENT);
        door.apply(new Operation.AddReal(server.at(), real(1)));
        refuses(new Operation.AddReal(server.at(), real(1)), Errno.EEXIST);
        door.apply(new Operation.DeleteServer(server.at()));
    }

    private void refuses(Operation operation, int errno) {
        assertThatThrownBy(() -> door.apply(operation))
                .as("%s", operation)
                .isInstanceOfSatisfying(
                        KernelException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private static void setsTimeouts(IpvsDoor door) throws KernelException {
        IpvsDoor.Timeouts before = door.timeouts();
        door.setTimeouts(new IpvsDoor.Timeouts(1000, 0, 77));
        assertThat(door.timeouts()).isEqualTo(new IpvsDoor.Timeouts(1000, before.tcpFin(), 77));
        door.setTimeouts(before);
        assertThat(door.timeouts()).isEqualTo(before);
    }
}
