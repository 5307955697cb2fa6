package io.sluice.cli.lab;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Answers each datagram with its name. */
public final class DatagramServer implements AutoCloseable {
    private final DatagramSocket socket;
    private final byte[] name;

    public DatagramServer(String name, InetAddress address, int port) throws IOException {
        this.name = name.getBytes(StandardCharsets.US_ASCII);
        this.socket = new DatagramSocket(new InetSocketAddress(address, port));
        Thread.ofVirtual().start(this::run);
    }

    private void run() {
        DatagramPacket packet = new DatagramPacket(new byte[64], 64);
        while (!socket.isClosed()) {
            try {
                socket.receive(packet);
                socket.send(new DatagramPacket(name, name.length, packet.getSocketAddress()));
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
