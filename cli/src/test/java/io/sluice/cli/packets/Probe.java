package io.sluice.cli.packets;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One real client that asks once. */
record Probe(NetSpace from, IpAddress to, int port, Protocol protocol) {
    private static final int RESEND_MILLIS = 400;

    /** @param patience after which silence is silence */
    Seen ask(Duration patience) {
        try {
            return switch (protocol) {
                case TCP -> tcp((int) patience.toMillis());
                case UDP -> udp(patience);
                case SCTP -> throw new IllegalArgumentException("no SCTP client here");
            };
        } catch (SocketTimeoutException e) {
            return new Seen.Silence();
        } catch (PortUnreachableException e) {
            return new Seen.Refusal();
        } catch (ConnectException e) {
            return e.getMessage().contains("refused")
                    ? new Seen.Refusal()
                    : e.getMessage().contains("timed out")
                            ? new Seen.Silence()
                            : new Seen.Failure(e.toString());
        } catch (IOException e) {
            return failure(e);
        }
    }

    static Seen failure(IOException e) {
        return "Operation not permitted".equals(e.getMessage())
                ? new Seen.Forbidden()
                : new Seen.Failure(e.toString());
    }

    private Seen tcp(int patienceMillis) throws IOException {
        try (SocketChannel channel = from.tcp(to.family())) {
            channel.socket()
                    .connect(new InetSocketAddress(to.toInetAddress(), port), patienceMillis);
            channel.socket().setSoTimeout(patienceMillis);
            String line = new BufferedReader(new InputStreamReader(
                            channel.socket().getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            return line == null
                    ? new Seen.Failure("closed without a word")
                    : Seen.Answer.parse(line);
        } catch (SocketException e) {
            if (e instanceof ConnectException) {
                throw e;
            }
            return new Seen.Failure(e.toString());
        }
    }

    private Seen udp(Duration patience) throws IOException {
        try (DatagramChannel channel = from.udp(to.family())) {
            channel.connect(new InetSocketAddress(to.toInetAddress(), port));
            return askOver(channel, patience);
        }
    }

    /** Asks over a socket that is connected, again and again until the time is over. */
    static Seen askOver(DatagramChannel channel, Duration patience) throws IOException {
        long end = System.nanoTime() + patience.toNanos();
        DatagramPacket answer = new DatagramPacket(new byte[256], 256);
        while (System.nanoTime() < end) {
            channel.write(ByteBuffer.wrap(new byte[] {'?'}));
            long left = (end - System.nanoTime()) / 1_000_000;
            channel.socket().setSoTimeout(Math.clamp(left, 1, RESEND_MILLIS));
            try {
                channel.socket().receive(answer);
                return Seen.Answer.parse(new String(
                        answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII));
            } catch (SocketTimeoutException e) {
                // Once more: a datagram may get lost.
            }
        }
        return new Seen.Silence();
    }
}
