package io.sluice.dataplane.relay;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Does not answer a SYN: its backlog is full and nobody accepts. */
final class SilentServer implements AutoCloseable {
    private final ServerSocket socket;
    private final List<Socket> fill = new ArrayList<>();

    SilentServer() throws IOException {
        socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        boolean full = false;
        while (!full) {
            Socket client = new Socket();
            try {
                client.connect(new InetSocketAddress("127.0.0.1", port()), 300);
            } catch (IOException e) {
                full = true;
            }
            fill.add(client);
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        for (Socket client : fill) {
            client.close();
        }
        socket.close();
    }
}
