package io.sluice.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class RepairTest {
    private static final RealServer A = new RealServer(IpAddress.of("10.1.0.1"), 8080);
    private static final RealServer B = new RealServer(IpAddress.of("10.1.0.2"), 8080);

    private static ServerAddress at(Protocol protocol) {
        return new ServerAddress(IpAddress.of("10.96.0.1"), 80, protocol);
    }

    private static List<Operation> plan(
            Protocol protocol, List<RealServer> wanted, Map<RealServer, FoundServer.State> found) {
        VirtualServer server = new VirtualServer(at(protocol), Scheduler.RR, 0, wanted);
        return Repair.plan(
                new TreeMap<>(Map.of(server.at(), server)),
                List.of(new FoundServer(server.at(), "rr", false, 0, found)),
                List.of());
    }

    private static FoundServer.State state(int weight, long connections) {
        return new FoundServer.State(weight, connections);
    }

    @Test
    void doesNothingWhereAllIsWell() {
        assertThat(plan(Protocol.TCP, List.of(A), Map.of(A, state(1, 3)))).isEmpty();
    }

    @Test
    void letsTcpConnectionsOfARemovedServerGoOn() {
        assertThat(plan(Protocol.TCP, List.of(A), Map.of(A, state(1, 0), B, state(1, 1))))
                .containsExactly(new Operation.SetWeight(at(Protocol.TCP), B, 0));
        assertThat(plan(Protocol.TCP, List.of(A), Map.of(A, state(1, 0), B, state(0, 1))))
                .isEmpty();
        assertThat(plan(Protocol.TCP, List.of(A), Map.of(A, state(1, 0), B, state(0, 0))))
                .containsExactly(new Operation.DeleteReal(at(Protocol.TCP), B));
    }

    @Test
    void removesUdpServersAtOnce() {
        assertThat(plan(Protocol.UDP, List.of(A), Map.of(A, state(1, 0), B, state(1, 9))))
                .containsExactly(new Operation.DeleteReal(at(Protocol.UDP), B));
    }

    @Test
    void givesAReturningServerItsWeightBack() {
        assertThat(plan(Protocol.TCP, List.of(A), Map.of(A, state(0, 5))))
                .containsExactly(new Operation.SetWeight(at(Protocol.TCP), A, 1));
    }

    @Test
    void addsWhatIsMissingAndDeletesWhatIsForeignButNotWhatIsExcluded() {
        VirtualServer server = new VirtualServer(at(Protocol.TCP), Scheduler.MH, 60, List.of(A, B));
        ServerAddress foreign = new ServerAddress(IpAddress.of("192.0.2.9"), 80, Protocol.TCP);
        ServerAddress theirs = new ServerAddress(IpAddress.of("198.51.100.9"), 80, Protocol.TCP);
        assertThat(Repair.plan(
                        new TreeMap<>(Map.of(server.at(), server)),
                        List.of(
                                new FoundServer(foreign, "rr", false, 0, Map.of()),
                                new FoundServer(theirs, "rr", false, 0, Map.of())),
                        List.of(Cidr.of("198.51.100.0/24"))))
                .containsExactly(
                        new Operation.DeleteServer(foreign),
                        new Operation.AddServer(server),
                        new Operation.AddReal(server.at(), A),
                        new Operation.AddReal(server.at(), B));
        assertThat(IpvsText.of(List.of(server))).isEqualTo("""
                -A -t 10.96.0.1:80 -s mh -p 60 -b mh-port
                -a -t 10.96.0.1:80 -r 10.1.0.1:8080 -m -w 1
                -a -t 10.96.0.1:80 -r 10.1.0.2:8080 -m -w 1
                """);
    }
}
