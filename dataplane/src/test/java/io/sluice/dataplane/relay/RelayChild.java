package io.sluice.dataplane.relay;

import io.sluice.api.net.Protocol;
import io.sluice.dataplane.relay.RelayLab.Member;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A relay in a process of its own, with its own limit of descriptors, to one endpoint of this process. */
final class RelayChild implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    final int nodePort;

    RelayChild(int descriptors, int endpointPort) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "prlimit",
                "--nofile=" + descriptors + ':' + descriptors,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                RelayChild.class.getName(),
                String.valueOf(endpointPort)));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        out = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        nodePort = Integer.parseInt(out.readLine());
    }

    /** The child's part: prints its node port, then for each line it reads how often it was out of descriptors. */
    public static void main(String[] args) throws IOException {
        try (RelayLab lab = new RelayLab(Protocol.TCP, 0);
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            lab.endpoints(Member.ready(Integer.parseInt(args[0])));
            System.out.println(lab.nodePort);
            while (in.readLine() != null) {
                System.out.println(lab.applier.exhausted());
            }
        }
    }

    /** How often it was out of descriptors. */
    long exhausted() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return Long.parseLong(out.readLine());
    }

    /** Resident memory. */
    long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("the relay is gone");
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.destroy();
    }
}
