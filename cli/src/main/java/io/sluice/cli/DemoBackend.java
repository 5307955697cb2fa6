package io.sluice.cli;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.RouteNetlink;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A small HTTP server that answers with its name. Endpoints must not have loopback addresses, so it takes one of the documentation block
 * (RFC 5737) that a local route makes ours; without the right to make routes, an address of the machine.
 */
final class DemoBackend implements AutoCloseable {
    private final String name;
    private final IpAddress address;
    private final boolean routed;
    private final ServerSocket socket;

    private DemoBackend(String name, IpAddress address, boolean routed, ServerSocket socket) {
        this.name = name;
        this.address = address;
        this.routed = routed;
        this.socket = socket;
    }

    /** @param wanted an address of 198.51.100.0/24 */
    static DemoBackend start(String name, IpAddress wanted) throws IOException {
        boolean routed = false;
        IpAddress address = wanted;
        try {
            RouteNetlink.addLocal(new Cidr(wanted, 32));
            routed = true;
        } catch (KernelException e) {
            address = machineAddress()
                    .orElseThrow(() -> new IOException(
                            "the demo's servers need an address that is not loopback: run as root, or connect a network",
                            e));
        }
        ServerSocket socket = new ServerSocket();
        socket.bind(new InetSocketAddress(address.toInetAddress(), 0));
        DemoBackend backend = new DemoBackend(name, address, routed, socket);
        Thread.ofVirtual().name("demo-" + name).start(backend::run);
        return backend;
    }

    private static Optional<IpAddress> machineAddress() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(InetAddress::getAddress)
                .map(IpAddress::of)
                .filter(address -> !address.isLoopback()
                        && !address.isLinkLocal()
                        && address.bytes().length == 4)
                .findFirst();
    }

    String name() {
        return name;
    }

    IpAddress address() {
        return address;
    }

    int port() {
        return socket.getLocalPort();
    }

    private void run() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Thread.ofVirtual().start(() -> answer(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void answer(Socket client) {
        try (client) {
            client.setSoTimeout(5_000);
            // The request is small and its content does not matter: its end does.
            int newLines = 0;
            for (int c = client.getInputStream().read(); c >= 0 && newLines < 2; ) {
                newLines = c == '\n' ? newLines + 1 : c == '\r' ? newLines : 0;
                if (newLines < 2) {
                    c = client.getInputStream().read();
                }
            }
            String body = "hello from " + name + '\n';
            String head =
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: "
                            + body.length() + "\r\n\r\n";
            OutputStream out = client.getOutputStream();
            out.write((head + body).getBytes(StandardCharsets.US_ASCII));
            out.flush();
        } catch (IOException e) {
            // The client went away.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        if (routed) {
            RouteNetlink.deleteLocal(new Cidr(address, 32));
        }
    }
}
