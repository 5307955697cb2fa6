package io.sluice.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs without a shell. */
public final class Command {
    private Command() {}

    /** Runs to the end and returns what it printed to standard output. */
    public static String run(int timeoutSeconds, List<String> words)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("bench", ".out");
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            if (!process.waitFor(timeoutSeconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(
                        String.join(" ", words) + " did not end within " + timeoutSeconds + " s");
            }
            String text = Files.readString(out);
            if (process.exitValue() != 0) {
                throw new IOException(String.join(" ", words) + " ended with " + process.exitValue()
                        + ": " + text.strip());
            }
            return text;
        } finally {
            Files.delete(out);
        }
    }

    /** Starts a server whose output goes to the file. */
    static Process start(Path log, List<String> words) throws IOException {
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** Full path of a program, also of those only root has on its path. */
    public static String find(String program) throws IOException {
        for (String dir : (System.getenv("PATH") + ":/usr/sbin:/sbin").split(":")) {
            Path path = Path.of(dir, program);
            if (Files.isExecutable(path)) {
                return path.toString();
            }
        }
        throw new IOException(program + " is not installed; on Debian: apt-get install " + program);
    }
}
