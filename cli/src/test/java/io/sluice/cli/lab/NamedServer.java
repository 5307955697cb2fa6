package io.sluice.cli.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends its name on a line to whoever connects, then echoes. */
public final class NamedServer implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket();
    private final String name;
    private final AtomicInteger accepted = new AtomicInteger();

    public NamedServer(String name, InetAddress address, int port) throws IOException {
        this.name = name;
        socket.bind(new InetSocketAddress(address, port), 4096);
        Thread.ofVirtual().start(this::run);
    }

    private void run() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                accepted.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.getOutputStream().write((name + '\n').getBytes());
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            // The client went away.
        }
    }

    public int port() {
        return socket.getLocalPort();
    }

    public int accepted() {
        return accepted.get();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
