package io.sluice.dataplane.relay;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;

/** Answers each datagram with its name and what it was sent. */
final class UdpEchoServer implements AutoCloseable {
    private final DatagramSocket socket;
    private final String name;

    UdpEchoServer(String name) throws IOException {
        this.name = name;
        this.socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(this::run);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void run() {
        byte[] buffer = new byte[65_536];
        while (!socket.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                String text = name
                        + ':'
                        + new String(
                                packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8);
                byte[] answer = text.getBytes(StandardCharsets.UTF_8);
                socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            } catch (IOException e) {
                return;
            }
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
