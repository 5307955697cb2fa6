package io.sluice.cli.packets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Tells clients its name and the address it sees: TCP clients at once on a line, after which what they send comes back; UDP clients for
 * each datagram.
 */
final class LabServer implements AutoCloseable {
    private static final int BACKLOG = 4096;

    private final String name;
    private final ServerSocketChannel tcp;
    private final DatagramChannel udp;

    LabServer(NetSpace space, String name, int port) throws IOException {
        this.name = name;
        tcp = space.server();
        tcp.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        tcp.bind(new InetSocketAddress("::", port), BACKLOG);
        udp = space.call(() -> DatagramChannel.open(StandardProtocolFamily.INET6));
        udp.bind(new InetSocketAddress("::", port));
        Thread.ofVirtual().start(this::accept);
        Thread.ofVirtual().start(this::receive);
    }

    private void accept() {
        while (tcp.isOpen()) {
            try {
                SocketChannel client = tcp.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            client.write(ByteBuffer.wrap(answer(client.getRemoteAddress(), "\n")));
            ByteBuffer buffer = ByteBuffer.allocate(256);
            while (client.read(buffer) >= 0) {
                client.write(buffer.flip());
                buffer.clear();
            }
        } catch (IOException e) {
            // The client went away.
        }
    }

    private void receive() {
        ByteBuffer buffer = ByteBuffer.allocate(256);
        while (udp.isOpen()) {
            try {
                SocketAddress client = udp.receive(buffer.clear());
                udp.send(ByteBuffer.wrap(answer(client, "")), client);
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                // This client is gone; others are not.
            }
        }
    }

    private byte[] answer(SocketAddress client, String end) {
        String address = ((InetSocketAddress) client).getAddress().getHostAddress();
        // Java writes the interface of a link-local address behind it.
        String bare = Arrays.stream(address.split("%")).findFirst().orElseThrow();
        return (name + ' ' + bare + end).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        tcp.close();
        udp.close();
    }
}
