package io.sluice.cli.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Stands between a client that speaks plain HTTP and an API server that speaks TLS, and misbehaves as it is told. TLS ends here, so
 * that answers can be forged.
 */
public final class HostileProxy implements AutoCloseable {

    /** What it does to the next connections. */
    public enum Mood {
        HONEST,
        /** Closes at once. */
        REFUSE,
        /** Passes some bytes on, then cuts. */
        CUT,
        /** Answers 410 with a Status. */
        GONE,
        /** Answers 429 with {@code Retry-After: 1}. */
        BUSY,
        /** Answers 500. */
        BROKEN,
        /** Answers with bytes that are no HTTP. */
        GARBAGE,
        /** Takes the request and stays silent for a while, then closes. */
        SILENT
    }

    private static final int CUT_AFTER = 120;

    private final ServerSocket socket = new ServerSocket();
    private final SSLContext tls;
    private final int target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger spoiled = new AtomicInteger();
    private volatile Mood mood = Mood.HONEST;

    public HostileProxy(SSLContext tls, int target) throws IOException {
        this.tls = tls;
        this.target = target;
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        Thread.ofVirtual().start(this::run);
    }

    public int port() {
        return socket.getLocalPort();
    }

    /** Also cuts what is open. */
    public void mood(Mood changed) {
        mood = changed;
        spoiled.set(0);
        open.forEach(HostileProxy::closeQuietly);
    }

    /** Connections it has spoiled in this mood. */
    public int spoiled() {
        return spoiled.get();
    }

    private void run() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        Mood now = mood;
        try (client) {
            switch (now) {
                case HONEST -> pass(client, Integer.MAX_VALUE);
                case CUT -> pass(client, CUT_AFTER);
                case REFUSE -> {}
                case GONE -> answer(client, "410 Gone", "", """
                            {"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,\
                            "message":"too old resource version"}""");
                case BUSY -> answer(client, "429 Too Many Requests", "Retry-After: 1\r\n", "{}");
                case BROKEN -> answer(client, "500 Internal Server Error", "", "<html>oops</html>");
                case GARBAGE -> {
                    client.getInputStream().read(new byte[4096]);
                    client.getOutputStream()
                            .write("\u0000\u0001garbage\r\n\r\n{]}"
                                    .getBytes(StandardCharsets.ISO_8859_1));
                }
                case SILENT -> client.getInputStream().transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException e) {
            // One side went away.
        } finally {
            if (now != Mood.HONEST) {
                spoiled.incrementAndGet();
            }
            open.remove(client);
        }
    }

    private static void answer(Socket client, String status, String headers, String body)
            throws IOException {
        client.getInputStream().read(new byte[4096]);
        String text = "HTTP/1.1 " + status + "\r\n" + headers
                + "Content-Type: application/json\r\nContent-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n" + body;
        client.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    private void pass(Socket client, int most) throws IOException {
        try (SSLSocket server = (SSLSocket)
                tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), target)) {
            Thread up = Thread.ofVirtual().start(() -> {
                try {
                    client.getInputStream().transferTo(server.getOutputStream());
                } catch (IOException e) {
                    closeQuietly(server);
                }
            });
            copy(server.getInputStream(), client.getOutputStream(), most);
            closeQuietly(client);
            up.interrupt();
        }
    }

    private static void copy(InputStream in, OutputStream out, int most) throws IOException {
        byte[] buffer = new byte[8192];
        int left = most;
        for (int n = in.read(buffer); n >= 0 && left > 0; n = in.read(buffer)) {
            out.write(buffer, 0, Math.min(n, left));
            out.flush();
            left -= n;
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // closed already
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        open.forEach(HostileProxy::closeQuietly);
    }
}
