package io.sluice.cli.packets;

import io.sluice.api.net.IpAddress;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.channels.DatagramChannel;
import java.time.Duration;

/** A UDP client that keeps its source port: to the kernel all it says is one flow. */
final class FixedPortClient implements AutoCloseable {
    private final DatagramChannel channel;

    FixedPortClient(NetSpace from, IpAddress to, int port) throws IOException {
        channel = from.udp(to.family());
        channel.connect(new InetSocketAddress(to.toInetAddress(), port));
    }

    int port() throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    /** One question, and what comes of it in a short while. */
    Seen ask() {
        try {
            return Probe.askOver(channel, Duration.ofMillis(300));
        } catch (PortUnreachableException e) {
            return new Seen.Refusal();
        } catch (IOException e) {
            return Probe.failure(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
