package io.sluice.dataplane.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends its name on a line, then everything back, and ends when the client has ended. */
final class EchoServer implements AutoCloseable {
    private final ServerSocket socket;
    private final String name;
    final AtomicInteger accepted = new AtomicInteger();

    EchoServer(String name) throws IOException {
        this.name = name;
        this.socket = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::run);
    }

    int port() {
        return socket.getLocalPort();
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
            OutputStream out = client.getOutputStream();
            out.write((name + '\n').getBytes());
            InputStream in = client.getInputStream();
            in.transferTo(out);
            client.shutdownOutput();
        } catch (IOException e) {
            // The client went away.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
