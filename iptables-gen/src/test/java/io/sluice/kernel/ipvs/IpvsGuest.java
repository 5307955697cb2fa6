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
import io.sluice.kernel.InNamespace;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What runs on the kernel that has IPVS: the contract, then connections. An error ends it with a code that is not 0. */
public final class IpvsGuest {
    static final String DONE = "all of IPVS held";
    private static final int PORT = 8080;
    private static final ServerAddress AT =
            new ServerAddress(IpAddress.of("10.96.0.1"), 80, Protocol.TCP);
    private static final RealServer A = new RealServer(IpAddress.of("10.1.0.1"), PORT);
    private static final RealServer B = new RealServer(IpAddress.of("10.1.0.2"), PORT);

    private IpvsGuest() {}

    public static void main(String[] arguments) throws Exception {
        InNamespace.exec("ip", "link", "add", "kube-ipvs0", "type", "dummy");
        InNamespace.exec("ip", "address", "add", AT.address() + "/32", "dev", "kube-ipvs0");
        InNamespace.exec("ip", "address", "add", A.address() + "/32", "dev", "lo");
        InNamespace.exec("ip", "address", "add", B.address() + "/32", "dev", "lo");
        try (NetlinkIpvs door = NetlinkIpvs.open();
                ServerSocket a = serve(A, 'a');
                ServerSocket b = serve(B, 'b')) {
            IpvsContract.check(door);
            carriesConnections(door);
            clearsUpBehindKubeProxy(door);
            assertThat(a.isClosed() || b.isClosed()).isFalse();
        }
        System.out.println(DONE);
    }

    /** Says who it is, and again whenever it is asked. */
    private static ServerSocket serve(RealServer real, char name) throws IOException {
        ServerSocket server =
                new ServerSocket(PORT, 50, InetAddress.getByName(real.address().toString()));
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try {
                    Socket client = server.accept();
                    Thread.ofVirtual().start(() -> answer(client, name));
                } catch (IOException e) {
                    return; // closed: the test is over
                }
            }
        });
        return server;
    }

    private static void answer(Socket client, char name) {
        try (client) {
            do {
                client.getOutputStream().write(name);
            } while (client.getInputStream().read() >= 0);
        } catch (IOException e) {
            System.out.println(name + " lost a client: " + e);
        }
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket(AT.address().toString(), AT.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static Set<Character> askTimes(int times) throws IOException {
        Set<Character> seen = new TreeSet<>();
        for (int i = 0; i < times; i++) {
            try (Socket socket = connect()) {
                seen.add((char) socket.getInputStream().read());
            }
        }
        return seen;
    }

    private static void want(NetlinkIpvs door, int persistence, RealServer... reals)
            throws IOException {
        VirtualServer server = new VirtualServer(AT, Scheduler.RR, persistence, List.of(reals));
        for (Operation operation : Repair.plan(
                new TreeMap<>(Map.of(AT, server)), door.servers(IpFamily.IPV4), List.of())) {
            door.apply(operation);
        }
    }

    private static void carriesConnections(NetlinkIpvs door) throws IOException {
        want(door, 0);
        assertThatThrownBy(IpvsGuest::connect)
                .as("nobody is there")
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("refused");

        want(door, 0, A, B);
        assertThat(askTimes(4)).as("in turn").containsExactly('a', 'b');

        want(door, 0, A);
        want(door, 0, A, B);
        try (Socket kept = connect();
                Socket other = connect()) {
            int name = kept.getInputStream().read();
            assertThat(name).isNotEqualTo(other.getInputStream().read());
            RealServer stays = name == 'a' ? B : A;
            RealServer goes = name == 'a' ? A : B;
            want(door, 0, stays);
            FoundServer.State state =
                    door.servers(IpFamily.IPV4).getFirst().realServers().get(goes);
            assertThat(state.weight()).isZero();
            assertThat(state.connections()).isPositive();
            assertThat(askTimes(4)).as("new ones go elsewhere").hasSize(1).doesNotContain((char)
                    name);
            kept.getOutputStream().write('?');
            assertThat(kept.getInputStream().read()).as("an open one goes on").isEqualTo(name);
            want(door, 0, A, B);
            assertThat(askTimes(4)).as("it is back").containsExactly('a', 'b');
        }
        want(door, 60, A, B);
        assertThat(askTimes(4)).as("with affinity").hasSize(1);
    }

    private static void clearsUpBehindKubeProxy(NetlinkIpvs door) throws Exception {
        want(door, 0, A, B);
        VirtualServer nodePort = server("192.0.2.1", 30_080, A);
        VirtualServer foreign = server("192.0.2.1", 443, new RealServer(A.address(), 443));
        VirtualServer empty = server("192.0.2.1", 444);
        for (VirtualServer each : List.of(nodePort, foreign, empty)) {
            door.apply(new Operation.AddServer(each));
            for (RealServer real : each.realServers()) {
                door.apply(new Operation.AddReal(each.at(), real));
            }
        }
        InNamespace.exec("ipset", "create", "KUBE-CLUSTER-IP", "hash:ip,port");
        InNamespace.exec("ipset", "create", "KUBE-6-LOAD-BALANCER-SOURCE-CID", "hash:ip");
        InNamespace.exec("ipset", "create", "SOMEBODYS", "hash:ip");
        InNamespace.exec("ipset", "create", "LIST", "list:set");
        InNamespace.exec("ipset", "create", "KUBE-IPVS-IPS", "hash:ip");
        InNamespace.exec("ipset", "add", "LIST", "KUBE-IPVS-IPS");

        List<String> problems = new ArrayList<>();
        assertThat(IpvsCleanUp.run(problems))
                .containsExactlyInAnyOrder(
                        "2 IPVS virtual servers",
                        "interface kube-ipvs0",
                        "ipset KUBE-CLUSTER-IP",
                        "ipset KUBE-6-LOAD-BALANCER-SOURCE-CID");
        assertThat(problems)
                .satisfiesExactly(
                        servers ->
                                assertThat(servers).startsWith("2 IPVS virtual servers are left"),
                        set -> assertThat(set).startsWith("ipset KUBE-IPVS-IPS is left"));
        assertThat(door.servers(IpFamily.IPV4))
                .extracting(FoundServer::at)
                .containsExactlyInAnyOrder(foreign.at(), empty.at());
        assertThat(InNamespace.exec("ip", "-o", "link")).doesNotContain("kube-ipvs0");
        assertThat(InNamespace.exec("ipset", "list", "-n").lines())
                .containsExactlyInAnyOrder("SOMEBODYS", "LIST", "KUBE-IPVS-IPS");

        InNamespace.exec("ipset", "destroy", "LIST");
        problems.clear();
        assertThat(IpvsCleanUp.run(problems)).containsExactly("ipset KUBE-IPVS-IPS");
        assertThat(problems).isEmpty();
        assertThat(IpvsCleanUp.run(problems)).as("again").isEmpty();
    }

    private static VirtualServer server(String address, int port, RealServer... reals) {
        ServerAddress at = new ServerAddress(IpAddress.of(address), port, Protocol.TCP);
        return new VirtualServer(at, Scheduler.RR, 0, List.of(reals));
    }
}
