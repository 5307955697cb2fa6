package io.sluice.bench.kernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sluice as a process of its own, started by the launcher, which becomes that process. */
final class Program implements AutoCloseable {
    private final Process process;
    private final Path log;
    private final BufferedReader out;

    private Program(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.out = process.inputReader();
    }

    static Program start(Path log, List<String> words) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(System.getProperty("sluice.launcher", "./sluice")));
        command.addAll(words);
        return new Program(
                new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    }

    long pid() {
        return process.pid();
    }

    /** What it prints when it is ready. */
    String firstLine() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException("it ended early; its log: " + Files.readString(log));
        }
        return line;
    }

    void checkAlive() throws IOException {
        if (!process.isAlive()) {
            throw new IOException(
                    "it ended with " + process.exitValue() + "; its log: " + Files.readString(log));
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
