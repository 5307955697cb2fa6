package io.sluice.cli.packets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Carries connections to a loopback port of a namespace to the same port of the namespace this process is in. */
final class Tunnel implements AutoCloseable {
    private final ServerSocketChannel server;
    private final int port;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    Tunnel(NetSpace from, int port) throws IOException {
        this.port = port;
        server = from.call(ServerSocketChannel::open);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        Thread.ofVirtual().start(this::accept);
    }

    /** Cuts what is open, and lets nothing through until it is mended. */
    void cut(boolean now) {
        cut = now;
        if (now) {
            open.forEach(Tunnel::closeQuietly);
        }
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                if (cut) {
                    closeQuietly(client);
                } else {
                    Thread.ofVirtual().start(() -> pass(client));
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    private void pass(SocketChannel client) {
        open.add(client);
        try (client;
                SocketChannel target = SocketChannel.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            Thread back = Thread.ofVirtual().start(() -> copy(target, client));
            copy(client, target);
            back.join();
        } catch (IOException | InterruptedException e) {
            // One side went away.
        } finally {
            open.remove(client);
        }
    }

    private static void copy(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(16_384);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // closed already
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        open.forEach(Tunnel::closeQuietly);
    }
}
