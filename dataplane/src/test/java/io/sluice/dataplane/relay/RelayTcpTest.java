package io.sluice.dataplane.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.Protocol;
import io.sluice.dataplane.relay.RelayLab.Member;
import io.sluice.kernel.Descriptors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

class RelayTcpTest {

    private static Socket connect(RelayLab lab) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", lab.nodePort), 5_000);
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            out.write(c);
        }
        return out.toString();
    }

    private static String nameBehind(RelayLab lab) throws IOException {
        try (Socket socket = connect(lab)) {
            return line(socket.getInputStream());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void bytesArriveAsTheyWereSentAndEndsAreTold(long seed) throws Exception {
        Random random = new Random(seed);
        byte[] sent = new byte[random.nextInt(1, 12_000_000)];
        random.nextBytes(sent);
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer server = new EchoServer("a")) {
            assertThat(lab.endpoints(Member.ready(server.port()))).isEmpty();
            try (Socket socket = connect(lab)) {
                InputStream in = socket.getInputStream();
                assertThat(line(in)).isEqualTo("a");
                Thread writer =
                        Thread.ofVirtual().start(() -> write(socket, sent, new Random(seed)));
                byte[] received = in.readAllBytes();
                writer.join();
                assertThat(Arrays.equals(received, sent))
                        .as("seed %d, %d bytes", seed, sent.length)
                        .isTrue();
            }
            await().until(() -> lab.counters().open.sum() == 0);
            assertThat(lab.counters().bytesIn.sum()).isEqualTo(sent.length);
            assertThat(lab.counters().bytesOut.sum()).isEqualTo(sent.length + 2);
        }
    }

    private static void write(Socket socket, byte[] bytes, Random random) {
        try {
            OutputStream out = socket.getOutputStream();
            int at = 0;
            while (at < bytes.length) {
                int n = Math.min(random.nextInt(1, 300_000), bytes.length - at);
                out.write(bytes, at, n);
                at += n;
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void endpointThatIsNotReadyGetsNoNewConnectionAndOpenOnesGoOn() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a");
                EchoServer b = new EchoServer("b")) {
            lab.endpoints(Member.ready(a.port()));
            try (Socket open = connect(lab)) {
                assertThat(line(open.getInputStream())).isEqualTo("a");
                lab.endpoints(new Member(a.port(), false, false), Member.ready(b.port()));
                for (int i = 0; i < 50; i++) {
                    assertThat(nameBehind(lab)).isEqualTo("b");
                }
                open.getOutputStream().write("still\n".getBytes());
                assertThat(line(open.getInputStream())).isEqualTo("still");
            }
        }
    }

    @Test
    void withoutReadyEndpointClientsAreRefused() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a")) {
            lab.endpoints(Member.ready(a.port()));
            assertThat(nameBehind(lab)).isEqualTo("a");
            lab.endpoints(new Member(a.port(), false, false));
            assertThatThrownBy(() -> connect(lab)).isInstanceOf(ConnectException.class);
            lab.endpoints(Member.ready(a.port()));
            assertThat(nameBehind(lab)).isEqualTo("a");
        }
    }

    @Test
    void deadEndpointCostsTheClientNothing() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a")) {
            int dead = RelayLab.freePort(Protocol.TCP);
            lab.endpoints(Member.ready(a.port()), Member.ready(dead));
            for (int i = 0; i < 40; i++) {
                assertThat(nameBehind(lab)).isEqualTo("a");
            }
            assertThat(lab.counters().retried.sum()).isPositive();
            assertThat(lab.counters().refused.sum()).isZero();
        }
    }

    /** Who waits for an endpoint that does not answer gets one that became ready meanwhile. */
    @Test
    void retriesGoToWhoIsReadyThen() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                SilentServer one = new SilentServer();
                SilentServer two = new SilentServer();
                EchoServer a = new EchoServer("a")) {
            lab.endpoints(Member.ready(one.port()), Member.ready(two.port()));
            try (Socket waiting = connect(lab)) {
                await().until(() -> lab.counters().connections.sum() == 1);
                lab.endpoints(Member.ready(a.port()));
                assertThat(line(waiting.getInputStream())).isEqualTo("a");
            }
            assertThat(lab.counters().retried.sum()).isEqualTo(1);
        }
    }

    /** Draining takes no new connection and leaves open ones their time. */
    @Test
    void drainingLetsOpenConnectionsFinish() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a")) {
            lab.endpoints(Member.ready(a.port()));
            try (Socket open = connect(lab)) {
                assertThat(line(open.getInputStream())).isEqualTo("a");
                Thread drain = Thread.ofVirtual()
                        .start(() -> lab.applier.drain(java.time.Duration.ofSeconds(30)));
                await().ignoreExceptions()
                        .untilAsserted(
                                () -> assertThatThrownBy(() -> connect(lab).close())
                                        .isInstanceOf(ConnectException.class));
                open.getOutputStream().write("still\n".getBytes());
                assertThat(line(open.getInputStream())).isEqualTo("still");
                assertThat(drain.isAlive()).isTrue();
                open.shutdownOutput();
                drain.join();
            }
            try (Socket late = new Socket()) {
                assertThatThrownBy(() -> late.connect(
                                new InetSocketAddress("127.0.0.1", lab.nodePort), 5_000))
                        .isInstanceOf(ConnectException.class);
            }
        }
    }

    @Test
    void whoIsStillOpenAtTheDeadlineIsReset() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a")) {
            lab.endpoints(Member.ready(a.port()));
            try (Socket open = connect(lab)) {
                assertThat(line(open.getInputStream())).isEqualTo("a");
                lab.applier.drain(java.time.Duration.ofMillis(50));
                lab.applier.close();
                assertThatThrownBy(() -> open.getInputStream().read())
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void connectionsSpreadOverEndpointsAndAffinityKeepsThem() throws Exception {
        try (EchoServer a = new EchoServer("a");
                EchoServer b = new EchoServer("b");
                RelayLab plain = new RelayLab(Protocol.TCP, 0);
                RelayLab sticky = new RelayLab(Protocol.TCP, 600)) {
            Set<String> spread = new HashSet<>();
            Set<String> kept = new HashSet<>();
            plain.endpoints(Member.ready(a.port()), Member.ready(b.port()));
            sticky.endpoints(Member.ready(a.port()), Member.ready(b.port()));
            for (int i = 0; i < 60; i++) {
                spread.add(nameBehind(plain));
                kept.add(nameBehind(sticky));
            }
            assertThat(spread).containsExactlyInAnyOrder("a", "b");
            assertThat(kept).hasSize(1);
        }
    }

    @Test
    void noDescriptorStaysOpen() throws Exception {
        long before = Descriptors.open();
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                EchoServer a = new EchoServer("a")) {
            lab.endpoints(Member.ready(a.port()));
            for (int i = 0; i < 500; i++) {
                assertThat(nameBehind(lab)).isEqualTo("a");
            }
            await().until(() -> lab.applier.openConnections() == 0);
        }
        assertThat(Descriptors.open()).isEqualTo(before);
    }
}
