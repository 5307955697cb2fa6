package io.sluice.dataplane.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.Protocol;
import io.sluice.dataplane.relay.RelayLab.Member;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.kernel.Descriptors;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

class RelayUdpTest {

    /** A client with one fixed source port. */
    private static final class Client implements AutoCloseable {
        private final DatagramSocket socket;

        Client(RelayLab lab) throws IOException {
            this(lab, "127.0.0.1");
        }

        Client(RelayLab lab, String address) throws IOException {
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            socket.connect(new InetSocketAddress(address, lab.nodePort));
            socket.setSoTimeout(5_000);
        }

        String ask(String text) throws IOException {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            socket.send(new DatagramPacket(bytes, bytes.length));
            DatagramPacket answer = new DatagramPacket(new byte[65_536], 65_536);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8);
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    @Test
    void oneClientStaysWithItsEndpoint() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.UDP, 0);
                UdpEchoServer a = new UdpEchoServer("a");
                UdpEchoServer b = new UdpEchoServer("b")) {
            assertThat(lab.endpoints(Member.ready(a.port()), Member.ready(b.port())))
                    .isEmpty();
            try (Client client = new Client(lab)) {
                String first = client.ask("0");
                for (int i = 0; i < 20; i++) {
                    assertThat(client.ask("0")).isEqualTo(first);
                }
            }
            assertThat(lab.counters().connections.sum()).isEqualTo(1);
        }
    }

    /** kubernetes/kubernetes 48370, 59368 and 139628: one source port, endpoints change, also through none. */
    @Test
    void clientWithFixedSourcePortFollowsEndpointsThroughNone() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.UDP, 0);
                UdpEchoServer a = new UdpEchoServer("a");
                UdpEchoServer b = new UdpEchoServer("b")) {
            lab.endpoints(Member.ready(a.port()));
            try (Client client = new Client(lab)) {
                assertThat(client.ask("1")).isEqualTo("a:1");
                lab.endpoints(Member.ready(b.port()));
                assertThat(client.ask("2")).isEqualTo("b:2");
                lab.endpoints();
                assertThatThrownBy(() -> client.ask("3"))
                        .isInstanceOf(PortUnreachableException.class);
                lab.endpoints(Member.ready(a.port()));
                assertThat(client.ask("4")).isEqualTo("a:4");
            }
        }
    }

    /** An endpoint that is not ready but serves keeps the flows it has. */
    @Test
    void flowsStayWhileTheirEndpointServes() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.UDP, 0);
                UdpEchoServer a = new UdpEchoServer("a");
                UdpEchoServer b = new UdpEchoServer("b")) {
            lab.endpoints(Member.ready(a.port()));
            try (Client old = new Client(lab);
                    Client fresh = new Client(lab)) {
                assertThat(old.ask("1")).isEqualTo("a:1");
                lab.endpoints(new Member(a.port(), false, true), Member.ready(b.port()));
                assertThat(old.ask("2")).isEqualTo("a:2");
                assertThat(fresh.ask("3")).isEqualTo("b:3");
                lab.endpoints(new Member(a.port(), false, false), Member.ready(b.port()));
                assertThat(old.ask("4")).isEqualTo("b:4");
            }
        }
    }

    /** A "ready" endpoint where nobody listens is left after the first refusal, and not asked again while there is another. */
    @Test
    void aDeadEndpointIsLeft() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.UDP, 0);
                UdpEchoServer a = new UdpEchoServer("a")) {
            int dead = RelayLab.freePort(Protocol.UDP);
            lab.endpoints(Member.ready(a.port()), Member.ready(dead));
            for (int i = 0; i < 20; i++) {
                try (Client client = new Client(lab)) {
                    client.socket.setSoTimeout(200);
                    await().until(() -> answers(client));
                }
            }
            assertThat(lab.counters().open.sum()).isLessThanOrEqualTo(20);
        }
    }

    private static boolean answers(Client client) throws IOException {
        try {
            return client.ask("1").equals("a:1");
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    /** One socket on all addresses answers from the one the client asked, or the client's kernel would not take it. */
    @Test
    void answersComeFromTheAddressThatWasAsked() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.UDP, 0, NodePortAddresses.ALL);
                UdpEchoServer a = new UdpEchoServer("a");
                Client client = new Client(lab, "127.0.0.5")) {
            assertThat(lab.endpoints(Member.ready(a.port()))).isEmpty();
            assertThat(client.ask("1")).isEqualTo("a:1");
        }
    }

    @Test
    void largeDatagramsPassWhole() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.UDP, 0);
                UdpEchoServer a = new UdpEchoServer("a")) {
            lab.endpoints(Member.ready(a.port()));
            try (Client client = new Client(lab)) {
                String large = "x".repeat(60_000);
                assertThat(client.ask(large)).isEqualTo("a:" + large);
            }
        }
    }

    @Test
    void noDescriptorStaysOpen() throws Exception {
        long before = Descriptors.open();
        try (RelayLab lab = new RelayLab(Protocol.UDP, 0);
                UdpEchoServer a = new UdpEchoServer("a")) {
            lab.endpoints(Member.ready(a.port()));
            for (int i = 0; i < 100; i++) {
                try (Client client = new Client(lab)) {
                    assertThat(client.ask("1")).isEqualTo("a:1");
                }
            }
        }
        assertThat(Descriptors.open()).isEqualTo(before);
    }
}
