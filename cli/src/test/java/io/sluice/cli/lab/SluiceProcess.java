package io.sluice.cli.lab;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@code sluice} command as a process of its own, with the jars that the build made. */
public final class SluiceProcess implements AutoCloseable {
    private final Process process;
    private final Path log;
    private final String firstLine;

    private SluiceProcess(Process process, Path log, String firstLine) {
        this.process = process;
        this.log = log;
        this.firstLine = firstLine;
    }

    /** Starts {@code up --without node} in mode userspace, unless another is named, and waits for its ready line. */
    public static SluiceProcess up(Path dataDir, int apiPort, int metricsPort, String... more)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "up",
                "--without",
                "node",
                "--data-dir",
                dataDir.toString(),
                "--proxy-mode",
                "userspace",
                "--bind",
                "127.0.0.1",
                "--port",
                String.valueOf(apiPort),
                "--service-cidr",
                "10.94.0.0/16",
                "--healthz-bind-address",
                "127.0.0.1:" + freePort(),
                "--metrics-bind-address",
                "127.0.0.1:" + metricsPort));
        words.addAll(List.of(more));
        return start(dataDir.resolveSibling(dataDir.getFileName() + ".log"), true, words);
    }

    /** @param ready whether to wait for a line on standard output */
    public static SluiceProcess start(Path log, boolean ready, List<String> words)
            throws IOException {
        return start(log, ready, List.of(), words);
    }

    /** @param prefix the words of a command that runs the words after it, such as {@code ip netns exec NAME} */
    public static SluiceProcess start(
            Path log, boolean ready, List<String> prefix, List<String> words) throws IOException {
        Path lib = lib();
        String classPath;
        try (Stream<Path> jars = Files.list(lib)) {
            classPath = String.join(
                    File.pathSeparator,
                    jars.map(Path::toString)
                            .filter(name -> name.endsWith(".jar"))
                            .sorted()
                            .toList());
        }
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                classPath,
                "io.sluice.cli.Main"));
        command.addAll(words);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        String line = "";
        if (ready) {
            BufferedReader out = process.inputReader();
            line = out.readLine();
            if (line == null) {
                throw new IOException("sluice " + words + " ended: " + Files.readString(log));
            }
        }
        return new SluiceProcess(process, log, line);
    }

    private static Path lib() throws IOException {
        Path dir = Path.of("").toAbsolutePath();
        while (dir != null && !Files.exists(dir.resolve("cli/target/lib"))) {
            dir = dir.getParent();
        }
        if (dir == null) {
            throw new IOException(
                    "cli/target/lib is missing: these tests run after the package phase");
        }
        return dir.resolve("cli/target/lib");
    }

    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** What it printed first. */
    public String firstLine() {
        return firstLine;
    }

    public String log() throws IOException {
        return Files.readString(log);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** {@code kill -9}. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends it as a user does; @return its exit code */
    public int terminate() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new IllegalStateException("sluice did not end within 30 s of SIGTERM");
        }
        return process.exitValue();
    }

    /** Lets it end by itself; @return its exit code */
    public int await(Duration patience) throws IOException {
        try {
            if (process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        throw new IOException("sluice did not end within " + patience + ": " + log());
    }

    public static KubeClient client(Path dataDir) throws IOException {
        return KubeClient.of(
                KubeConfig.load(dataDir.resolve("admin.kubeconfig"), Clock.systemUTC()));
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }
}
