package io.sluice.dataplane.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Many connections at a relay with its own process and limits. Needs prlimit (util-linux). */
@Timeout(60)
class RelayLoadIT {
    private static final int IDLE = 4_000;

    private static List<SocketChannel> connect(RelayChild relay, int count) throws IOException {
        List<SocketChannel> out = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            out.add(SocketChannel.open(new InetSocketAddress("127.0.0.1", relay.nodePort)));
        }
        return out;
    }

    private static void close(List<SocketChannel> channels) throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    /** The endpoint speaks first, so who has a byte is served. */
    private static boolean isServed(SocketChannel client) throws IOException {
        client.configureBlocking(false);
        int n = client.read(ByteBuffer.allocate(2));
        if (n < 0) {
            throw new IOException("the relay closed a connection it had taken");
        }
        return n > 0;
    }

    /** Out of descriptors, clients wait in the backlog; none is turned away, and they are served as others leave. */
    @Test
    void withoutDescriptorsClientsWaitForTheirTurn() throws Exception {
        try (EchoServer a = new EchoServer("a");
                RelayChild relay = new RelayChild(260, a.port())) {
            List<SocketChannel> waiting = connect(relay, 300);
            int served = 0;
            while (!waiting.isEmpty()) {
                List<SocketChannel> turn = new ArrayList<>();
                await().until(() -> {
                    for (SocketChannel client : waiting) {
                        if (isServed(client)) {
                            turn.add(client);
                        }
                    }
                    waiting.removeAll(turn);
                    return !turn.isEmpty();
                });
                served += turn.size();
                close(turn);
            }
            assertThat(served).isEqualTo(300);
            assertThat(relay.exhausted()).isPositive();
        }
    }

    /** Idle connections hold no buffer. */
    @Test
    void idleConnectionsAreCheapAndAlive() throws Exception {
        try (EchoServer a = new EchoServer("a");
                RelayChild relay = new RelayChild(2 * IDLE + 1_500, a.port())) {
            close(connect(relay, 500)); // classes and compiled code are not what is measured
            long before = relay.residentBytes();
            List<SocketChannel> idle = connect(relay, IDLE);
            for (SocketChannel client : idle) {
                assertThat(client.read(ByteBuffer.allocate(2))).isPositive();
            }
            long each = (relay.residentBytes() - before) / IDLE;
            assertThat(each).as("bytes for each idle connection").isLessThan(6_000);
            for (SocketChannel client : idle) {
                client.write(ByteBuffer.wrap(new byte[] {'x'}));
            }
            for (SocketChannel client : idle) {
                ByteBuffer answer = ByteBuffer.allocate(2);
                while (answer.position() == 0 || answer.get(answer.position() - 1) != 'x') {
                    answer.clear();
                    assertThat(client.read(answer)).isPositive();
                }
            }
            close(idle);
        }
    }
}
