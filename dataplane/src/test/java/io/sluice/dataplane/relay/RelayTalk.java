package io.sluice.dataplane.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Both ends of one connection, to be told step by step what to do. What each side sends is a seeded stream, so that the other side knows
 * every byte it must get.
 */
final class RelayTalk implements AutoCloseable {
    private static final int DEADLINE_SECONDS = 60;

    private final ServerSocket listener;
    Socket client;
    Socket server;

    /** The endpoint listens; nobody is connected. @param serverBuffer its receive buffer, 0 for the kernel's choice */
    RelayTalk(int serverBuffer) throws IOException {
        listener = new ServerSocket();
        if (serverBuffer > 0) {
            listener.setReceiveBufferSize(serverBuffer);
        }
        listener.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    }

    int port() {
        return listener.getLocalPort();
    }

    Socket accept() throws IOException {
        return listener.accept();
    }

    void connect(int port) throws IOException {
        client = new Socket(InetAddress.getLoopbackAddress(), port);
        server = listener.accept();
        client.setSoTimeout(DEADLINE_SECONDS * 1000);
        server.setSoTimeout(DEADLINE_SECONDS * 1000);
    }

    /** Sends so many bytes of the stream in pieces of random size, on a thread of its own. */
    static FutureTask<Void> send(Socket from, long seed, long bytes) {
        return run(() -> {
            OutputStream out = from.getOutputStream();
            Random content = new Random(seed);
            Random sizes = new Random(~seed);
            long left = bytes;
            while (left > 0) {
                byte[] piece = new byte[(int) Math.min(left, 8 * sizes.nextInt(1, 20_000))];
                content.nextBytes(piece);
                out.write(piece);
                left -= piece.length;
            }
            return null;
        });
    }

    /** Reads to the end and compares. @return how many bytes came; an end that is no proper end is an exception */
    static FutureTask<Long> receive(Socket at, long seed) {
        return run(() -> {
            InputStream in = at.getInputStream();
            Random content = new Random(seed);
            Random sizes = new Random(~seed);
            long got = 0;
            byte[] word = new byte[8];
            byte[] piece = new byte[160_000];
            int n = in.read(piece, 0, sizes.nextInt(1, piece.length));
            while (n >= 0) {
                for (int i = 0; i < n; i++) {
                    int at8 = (int) ((got + i) % 8);
                    if (at8 == 0) {
                        content.nextBytes(word);
                    }
                    if (piece[i] != word[at8]) {
                        throw new AssertionError("byte " + (got + i) + " differs");
                    }
                }
                got += n;
                n = in.read(piece, 0, sizes.nextInt(1, piece.length));
            }
            return got;
        });
    }

    private static <T> FutureTask<T> run(java.util.concurrent.Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread.ofVirtual().start(task);
        return task;
    }

    static <T> T result(FutureTask<T> task)
            throws InterruptedException, ExecutionException, TimeoutException {
        return task.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** Ends with a reset. */
    static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }
}
