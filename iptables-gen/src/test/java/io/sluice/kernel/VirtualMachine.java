package io.sluice.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class on a kernel that has what this machine's may lack, by {@code .ci/vm}. Needs root and {@code SLUICE_VM_KERNEL}. */
public final class VirtualMachine {
    private VirtualMachine() {}

    /** @param code 0 where the class's main method returned */
    public record Ended(int code, String output) {}

    /** Skips the test where no kernel is named, but never in CI. @param modules to load before */
    public static Ended run(List<String> modules, Class<?> main) throws Exception {
        boolean named = System.getenv("SLUICE_VM_KERNEL") != null;
        assumeTrue(
                named || System.getenv("CI") != null,
                "SLUICE_VM_KERNEL names no directory made by .ci/vm-kernel");
        assertThat(named).as("SLUICE_VM_KERNEL is set").isTrue();
        List<String> command = new ArrayList<>(List.of(
                script().toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                classPath(),
                main.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SLUICE_VM_MODULES", String.join(" ", modules));
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out);
    }

    /** The test's own; its runner may hide it behind a jar of jars. */
    private static String classPath() {
        String hidden = System.getProperty("surefire.test.class.path");
        return hidden == null ? System.getProperty("java.class.path") : hidden;
    }

    private static Path script() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve(".ci").resolve("vm"))) {
            at = at.getParent();
            assertThat(at).as("a directory above with .ci/vm").isNotNull();
        }
        return at.resolve(".ci").resolve("vm");
    }
}
