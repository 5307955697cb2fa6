package io.sluice.bench.kernel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Sends its one-letter name to whoever connects. */
final class NamedServer implements AutoCloseable {
    private static final int BACKLOG = 1_000;

    private final ServerSocket socket;

    /** @param port 0 for any */
    NamedServer(String address, int port, char name) throws IOException {
        socket = new ServerSocket(port, BACKLOG, InetAddress.getByName(address));
        Thread.ofPlatform().daemon().start(() -> {
            while (!socket.isClosed()) {
                try (Socket client = socket.accept()) {
                    client.getOutputStream().write(name);
                } catch (IOException e) {
                    // the client went away, or we are closed
                }
            }
        });
    }

    int port() {
        return socket.getLocalPort();
    }

    /** @return the name, or 0 where nobody answered */
    static char ask(String address, int port, int timeoutMs) {
        try (Socket client = new Socket()) {
            client.connect(new InetSocketAddress(address, port), timeoutMs);
            client.setSoTimeout(timeoutMs);
            return (char) Math.max(0, client.getInputStream().read());
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
