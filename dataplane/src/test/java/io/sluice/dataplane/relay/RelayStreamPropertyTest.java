package io.sluice.dataplane.relay;

import static io.sluice.dataplane.relay.RelayTalk.receive;
import static io.sluice.dataplane.relay.RelayTalk.result;
import static io.sluice.dataplane.relay.RelayTalk.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.Protocol;
import io.sluice.dataplane.relay.RelayLab.Member;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** What two programs see of each other through the relay is what they would see on one connection. */
class RelayStreamPropertyTest {
    private static final long OTHER_WAY = 1L << 40;

    private static void both(Scenario scenario, int serverBuffer) throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                RelayTalk talk = new RelayTalk(serverBuffer)) {
            assertThat(lab.endpoints(Member.ready(talk.port()))).isEmpty();
            talk.connect(lab.nodePort);
            scenario.run(talk, lab);
            await().until(() -> lab.applier.openConnections() == 0);
        }
    }

    @FunctionalInterface
    private interface Scenario {
        void run(RelayTalk talk, RelayLab lab) throws Exception;
    }

    /** Random amounts both ways at once, both ends told, in random order. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
    void everyByteArrivesBothWaysAndBothEnds(long seed) throws Exception {
        Random random = new Random(seed);
        long up = 1L << random.nextInt(1, 25);
        long down = 1L << random.nextInt(1, 25);
        int buffer = random.nextBoolean() ? 8_192 : 0;
        both(
                (talk, lab) -> {
                    FutureTask<Long> atServer = receive(talk.server, seed);
                    FutureTask<Long> atClient = receive(talk.client, seed + OTHER_WAY);
                    FutureTask<Void> fromClient = send(talk.client, seed, up);
                    FutureTask<Void> fromServer = send(talk.server, seed + OTHER_WAY, down);
                    result(fromClient);
                    talk.client.shutdownOutput();
                    result(fromServer);
                    talk.server.shutdownOutput();
                    assertThat(result(atServer)).as("seed %d", seed).isEqualTo(up);
                    assertThat(result(atClient)).as("seed %d", seed).isEqualTo(down);
                    await().until(() -> lab.counters().bytesIn.sum() == up);
                    assertThat(lab.counters().bytesOut.sum()).isEqualTo(down);
                },
                buffer);
    }

    /** One side ends; the other still talks, as long as it likes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void halfClosedConnectionsGoOnTheOtherWay(boolean clientEndsFirst) throws Exception {
        both(
                (talk, lab) -> {
                    var first = clientEndsFirst ? talk.client : talk.server;
                    var second = clientEndsFirst ? talk.server : talk.client;
                    result(send(first, 1, 100));
                    first.shutdownOutput();
                    assertThat(result(receive(second, 1))).isEqualTo(100);
                    FutureTask<Long> rest = receive(first, 2);
                    result(send(second, 2, 9_000_000));
                    second.shutdownOutput();
                    assertThat(result(rest)).isEqualTo(9_000_000);
                },
                0);
    }

    /** A reset is not a proper end: who waits for more must learn that it will not come. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void resetsGoThrough(boolean clientResets) throws Exception {
        both(
                (talk, lab) -> {
                    var who = clientResets ? talk.client : talk.server;
                    var other = clientResets ? talk.server : talk.client;
                    result(send(who, 3, 4_000));
                    assertThat(other.getInputStream().readNBytes(4_000)).hasSize(4_000);
                    RelayTalk.reset(who);
                    assertThatThrownBy(() -> other.getInputStream().read())
                            .isInstanceOf(IOException.class);
                },
                0);
    }

    /**
     * The same while the relay is writing to who resets: it may learn of the reset by a failed write, and then the kernel gives its next
     * read a proper end. A client whose own write failed cannot tell either, so those trials say nothing.
     */
    @Test
    void resetsGoThroughWhileTheRelayWrites() throws Exception {
        int told = 0;
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0)) {
            for (int trial = 0; trial < 150; trial++) {
                try (RelayTalk talk = new RelayTalk(0)) {
                    lab.endpoints(Member.ready(talk.port()));
                    talk.connect(lab.nodePort);
                    FutureTask<Void> writing = send(talk.client, trial, 400_000);
                    FutureTask<Long> reading = receive(talk.client, trial);
                    assertThat(talk.server.getInputStream().readNBytes(1 + trial * 1_000))
                            .isNotEmpty();
                    RelayTalk.reset(talk.server);
                    boolean properEnd = endsProperly(reading);
                    if (endsProperly(writing)) {
                        told++;
                        assertThat(properEnd)
                                .as("trial %d: a proper end", trial)
                                .isFalse();
                    }
                }
            }
            await().until(() -> lab.applier.openConnections() == 0);
        }
        assertThat(told).isPositive();
    }

    private static boolean endsProperly(FutureTask<?> task) throws Exception {
        try {
            result(task);
            return true;
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(IOException.class);
            return false;
        }
    }

    /** Nobody reads: the relay takes in a bounded amount and no more, and all of it arrives once somebody does. */
    @Test
    void aReaderThatDoesNotReadHoldsTheWriterBack() throws Exception {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                RelayTalk talk = new RelayTalk(8_192);
                SocketChannel client = SocketChannel.open()) {
            lab.endpoints(Member.ready(talk.port()));
            talk.connect(lab.nodePort);
            talk.client.close();
            talk.server.close();
            client.connect(new java.net.InetSocketAddress("127.0.0.1", lab.nodePort));
            client.configureBlocking(false);
            try (var server = talk.accept()) {
                ByteBuffer piece = ByteBuffer.allocateDirect(1 << 20);
                long[] sent = {0};
                // Full is when a whole second brings nothing more in.
                await().during(java.time.Duration.ofSeconds(1)).until(() -> {
                    long before = sent[0];
                    long n = client.write(piece.clear());
                    sent[0] += Math.max(n, 0);
                    return sent[0] == before;
                });
                assertThat(sent[0]).isLessThan(32L << 20);
                client.configureBlocking(true);
                client.shutdownOutput();
                long got =
                        server.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
                assertThat(got).isEqualTo(sent[0]);
            }
        }
    }
}
