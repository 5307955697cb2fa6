package io.sluice.cli.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real kubectl. Those of versions 1.27, 1.30 and 1.33 are looked for where {@code SLUICE_KUBECTL_DIR} says and where a Debian package
 * puts them; else the one on the path serves.
 *
 * @param home where it keeps what it learned about servers
 */
public record Kubectl(Path binary, Path kubeconfig, Path home) {
    private static final List<String> VERSIONS = List.of("1.27", "1.30", "1.33");
    private static final long PATIENCE_SECONDS = 90;

    /** What it printed, and its exit code. */
    public record Output(int code, String text) {}

    /** Skips where there is none, but not with {@code CI=true}. */
    public static List<Path> installed() {
        List<Path> out = new ArrayList<>();
        for (String version : VERSIONS) {
            dirs().map(dir -> dir.resolve("kubectl." + version))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .ifPresent(out::add);
        }
        if (out.isEmpty()) {
            dirs().map(dir -> dir.resolve("kubectl"))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .ifPresent(out::add);
        }
        if (out.isEmpty() && "true".equals(System.getenv("CI"))) {
            fail("no kubectl on the path; .ci/run installs one, or set SLUICE_KUBECTL_DIR");
        }
        Assumptions.assumeFalse(out.isEmpty(), "no kubectl here");
        return out;
    }

    private static Stream<Path> dirs() {
        Map<String, String> environment = System.getenv();
        return Stream.concat(
                        Stream.of(
                                environment.getOrDefault("SLUICE_KUBECTL_DIR", ""),
                                "/usr/lib/google-cloud-sdk/bin"),
                        Stream.of(environment.getOrDefault("PATH", "/usr/bin").split(":")))
                .filter(dir -> !dir.isEmpty())
                .map(Path::of);
    }

    public Process start(String... words) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(binary.toString(), "--kubeconfig", kubeconfig.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HOME", home.toString());
        return builder.start();
    }

    /** Gives it a file on standard input. */
    public Output runWith(String input, String... words) throws IOException, InterruptedException {
        Process process = start(words);
        try (var out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        }
        return end(process);
    }

    public Output run(String... words) throws IOException, InterruptedException {
        return runWith("", words);
    }

    public static Output end(Process process) throws IOException, InterruptedException {
        Thread guard = Thread.ofVirtual().start(() -> killLate(process));
        try (InputStream in = process.getInputStream()) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Output(process.waitFor(), text);
        } finally {
            guard.interrupt();
        }
    }

    private static void killLate(Process process) {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What it printed; it must have succeeded. */
    public String ok(String... words) throws IOException, InterruptedException {
        return okWith("", words);
    }

    public String okWith(String input, String... words) throws IOException, InterruptedException {
        Output output = runWith(input, words);
        assertThat(output.code())
                .as("kubectl %s: %s", String.join(" ", words), output.text())
                .isZero();
        return output.text();
    }

    @Override
    public String toString() {
        return binary.getFileName().toString();
    }
}
