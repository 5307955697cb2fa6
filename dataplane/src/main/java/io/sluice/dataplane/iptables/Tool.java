package io.sluice.dataplane.iptables;

import io.sluice.api.net.IpFamily;
import io.sluice.iptables.Table;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the tools of one variant, for one family. */
final class Tool {
    private static final String LOCK_SECONDS = "5";
    private static final long PATIENCE_SECONDS = 120;
    private static final int CONTEXT = 1;
    /** Ten times what 10,000 Services with five endpoints each take. */
    private static final int MOST_OUTPUT = 256 * 1024 * 1024;

    private static final int MOST_ERRORS = 64 * 1024;
    private static final Pattern LINE = Pattern.compile("line:? (\\d+)");

    private final IpFamily family;
    private final Variant variant;

    /** What came of a run. */
    private record Result(int code, String out, String error) {}

    Tool(IpFamily family, Variant variant) {
        this.family = family;
        this.variant = variant;
    }

    String version() throws IOException {
        return checked("", variant.command(family, ""), "--version");
    }

    /** All rules of all tables there are. */
    String save() throws IOException {
        return checked("", variant.command(family, "save"));
    }

    /** All of it, or nothing of a table. @throws IOException with the lines that were refused */
    void restore(String input) throws IOException {
        String command = variant.command(family, "restore");
        Result result = run(input, command, "-w", LOCK_SECONDS, "--noflush");
        if (result.code() != 0) {
            throw new IOException(command + " failed (" + result.code() + "): "
                    + result.error().strip() + context(input, result.error()));
        }
    }

    /** What stands around the line that an error names. */
    private static String context(String input, String error) {
        Matcher matcher = LINE.matcher(error);
        if (!matcher.find()) {
            return "";
        }
        int line = Integer.parseInt(matcher.group(1));
        List<String> lines = input.lines().toList();
        StringBuilder out = new StringBuilder();
        for (int i = Math.max(1, line - CONTEXT);
                i <= Math.min(lines.size(), line + CONTEXT);
                i++) {
            out.append(i == line ? "\n> " : "\n  ").append(i).append(": ").append(lines.get(i - 1));
        }
        return out.toString();
    }

    boolean hasChain(Table table, String chain) throws IOException {
        return run(
                                "",
                                variant.command(family, ""),
                                "-w",
                                LOCK_SECONDS,
                                "-t",
                                table.text(),
                                "-S",
                                chain)
                        .code()
                == 0;
    }

    private String checked(String input, String... command) throws IOException {
        Result result = run(input, command);
        if (result.code() != 0) {
            throw new IOException(String.join(" ", command) + " failed (" + result.code() + "): "
                    + result.error().strip());
        }
        return result.out();
    }

    private static Result run(String input, String... command) throws IOException {
        Process process = new ProcessBuilder(new ArrayList<>(List.of(command))).start();
        CompletableFuture<String> out = read(process.getInputStream(), MOST_OUTPUT, true);
        CompletableFuture<String> error = read(process.getErrorStream(), MOST_ERRORS, false);
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It ended early; what it says of that is in its error output.
        }
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", command) + " did not end within "
                        + PATIENCE_SECONDS + " s and was killed");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + " was interrupted", e);
        }
        return new Result(process.exitValue(), get(out, command[0]), get(error, command[0]));
    }

    /** Reads all, and keeps no more than so many bytes. Fails where an output that must be whole is longer. */
    private static CompletableFuture<String> read(InputStream in, int most, boolean whole) {
        CompletableFuture<String> out = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (in) {
                byte[] kept = in.readNBytes(most);
                long more = in.transferTo(OutputStream.nullOutputStream());
                if (whole && more > 0) {
                    throw new IOException("its output has more than " + most + " bytes");
                }
                out.complete(new String(kept, StandardCharsets.UTF_8));
            } catch (IOException e) {
                out.completeExceptionally(e);
            }
        });
        return out;
    }

    private static String get(CompletableFuture<String> output, String command) throws IOException {
        try {
            return output.join();
        } catch (CompletionException e) {
            throw new IOException(command + ": " + e.getCause().getMessage(), e);
        }
    }
}
