package io.sluice.cli.packets;

import io.sluice.api.net.IpFamily;

import jnr.ffi.LibraryLoader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * A network namespace. Sockets stay in the namespace they were opened in, so one thread of ours lives there and opens them for all
 * others. Needs root and iproute2.
 */
final class NetSpace implements AutoCloseable {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final String PREFIX = "sluice-lab-";
    private static final Path DIR = Path.of("/run/netns");
    private static final C LIBC = LibraryLoader.create(C.class).load("c");

    private final String name;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());

    /** Only tests leave their namespace. */
    public interface C {
        int open(String path, int flags);

        int setns(int descriptor, int kind);

        int close(int descriptor);
    }

    /** @param role unique in this process */
    NetSpace(String role) throws IOException {
        name = PREFIX + ProcessHandle.current().pid() + '-' + role;
        run("", "ip", "netns", "add", name);
        call(() -> {
            int descriptor = LIBC.open(DIR.resolve(name).toString(), 0);
            if (descriptor < 0 || LIBC.setns(descriptor, CLONE_NEWNET) != 0) {
                throw new IOException("cannot enter network namespace " + name);
            }
            return LIBC.close(descriptor);
        });
        ip("link set lo up");
    }

    /** Removes what runs that were killed left behind. */
    static void removeStale() throws IOException {
        if (!Files.isDirectory(DIR)) {
            return;
        }
        List<String> names;
        try (Stream<Path> all = Files.list(DIR)) {
            names = all.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith(PREFIX))
                    .toList();
        }
        for (String stale : names) {
            long owner = Long.parseLong(stale.substring(PREFIX.length()).split("-")[0]);
            if (ProcessHandle.of(owner).isEmpty()) {
                run("", "ip", "netns", "del", stale);
            }
        }
    }

    String name() {
        return name;
    }

    /** What starts a command in here. */
    List<String> prefix() {
        return List.of("ip", "netns", "exec", name);
    }

    /** Runs on the thread that lives here. */
    <T> T call(Callable<T> body) throws IOException {
        try {
            return thread.submit(body).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io
                    ? io
                    : new IOException(name + ": " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    static ProtocolFamily family(IpFamily family) {
        return switch (family) {
            case IPV4 -> StandardProtocolFamily.INET;
            case IPV6 -> StandardProtocolFamily.INET6;
        };
    }

    SocketChannel tcp(IpFamily family) throws IOException {
        return call(() -> SocketChannel.open(family(family)));
    }

    DatagramChannel udp(IpFamily family) throws IOException {
        return call(() -> DatagramChannel.open(family(family)));
    }

    /** For both families. */
    ServerSocketChannel server() throws IOException {
        return call(() -> ServerSocketChannel.open(StandardProtocolFamily.INET6));
    }

    /** Runs lines of ip(8) here. */
    void ip(String... lines) throws IOException {
        run(String.join("\n", lines) + '\n', "ip", "-n", name, "-batch", "-");
    }

    /** Runs a command here. @return what it printed */
    String exec(String input, String... words) throws IOException {
        List<String> command = new ArrayList<>(prefix());
        command.addAll(List.of(words));
        return run(input, command.toArray(String[]::new));
    }

    /** @param setting below {@code /proc/sys/net}, which shows the reader's own namespace */
    void sysctl(String setting, String value) throws IOException {
        call(() -> Files.writeString(Path.of("/proc/sys/net", setting), value));
    }

    static String run(String input, String... words) throws IOException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        Thread.ofVirtual().start(() -> {
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.onExit().join().exitValue();
        if (code != 0) {
            throw new IOException(String.join(" ", words) + " ended with " + code + ": " + out
                    + "; input: " + input);
        }
        return out;
    }

    @Override
    public void close() throws IOException {
        thread.shutdown();
        run("", "ip", "netns", "del", name);
    }
}
