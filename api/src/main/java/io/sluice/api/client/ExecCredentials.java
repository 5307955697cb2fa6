package io.sluice.api.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Rfc3339;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Asks a credential plugin ({@code client.authentication.k8s.io}) for a token and keeps it until it expires or is refused.
 * Thread-safe; the plugin runs without a shell.
 */
final class ExecCredentials implements ClientConfig.Credentials {
    private static final int TIMEOUT_SECONDS = 60;
    private static final int MOST_BYTES = 1024 * 1024;

    private final Path kubeconfig;
    private final List<String> command;
    private final Map<String, String> environment;
    private final String info;
    private final Clock clock;
    private String token = "";
    private Instant expires = Instant.MAX;

    private ExecCredentials(
            Path kubeconfig,
            List<String> command,
            Map<String, String> environment,
            String info,
            Clock clock) {
        this.kubeconfig = kubeconfig;
        this.command = command;
        this.environment = environment;
        this.info = info;
        this.clock = clock;
    }

    /** @param cluster for plugins that ask for it */
    static ExecCredentials of(ObjectNode exec, ObjectNode cluster, Path kubeconfig, Clock clock)
            throws IOException {
        String apiVersion = KubeObject.text(exec, "apiVersion");
        if (!apiVersion.equals("client.authentication.k8s.io/v1")
                && !apiVersion.equals("client.authentication.k8s.io/v1beta1")) {
            throw new KubeConfigException("kubeconfig " + kubeconfig + ": exec apiVersion \""
                    + apiVersion + "\" is not supported");
        }
        String program = KubeObject.text(exec, "command");
        if (program.isEmpty()) {
            throw new KubeConfigException("kubeconfig " + kubeconfig + ": exec has no command");
        }
        boolean isPath = program.contains("/") && !program.startsWith("/");
        Path parent = kubeconfig.toAbsolutePath().getParent();
        List<String> command = new ArrayList<>();
        command.add(isPath && parent != null ? parent.resolve(program).toString() : program);
        exec.path("args").forEach(arg -> command.add(arg.asText()));
        Map<String, String> environment = new java.util.LinkedHashMap<>();
        for (JsonNode entry : exec.path("env")) {
            environment.put(KubeObject.text(entry, "name"), KubeObject.text(entry, "value"));
        }
        return new ExecCredentials(
                kubeconfig, List.copyOf(command), environment, info(exec, cluster), clock);
    }

    private static String info(ObjectNode exec, ObjectNode cluster) {
        ObjectNode info = Json.object()
                .put("apiVersion", KubeObject.text(exec, "apiVersion"))
                .put("kind", "ExecCredential");
        ObjectNode spec = info.putObject("spec").put("interactive", false);
        if (exec.path("provideClusterInfo").asBoolean(false)) {
            spec.set("cluster", cluster);
        }
        return info.toString();
    }

    @Override
    public synchronized Optional<String> authorization() throws IOException {
        if (token.isEmpty() || !clock.instant().isBefore(expires)) {
            refresh();
        }
        return Optional.of("Bearer " + token);
    }

    @Override
    public synchronized void rejected() {
        token = "";
    }

    private void refresh() throws IOException {
        String output = run();
        JsonNode status;
        try {
            status = Json.parseObject(output).path("status");
        } catch (IOException e) {
            throw problem("printed no ExecCredential: " + e.getMessage());
        }
        String fresh = KubeObject.text(status, "token");
        if (fresh.isEmpty()) {
            throw problem(
                    status.has("clientCertificateData")
                            ? "gave a client certificate; only tokens are supported"
                            : "gave no status.token");
        }
        token = fresh;
        expires = Rfc3339.parse(KubeObject.text(status, "expirationTimestamp")).orElse(Instant.MAX);
    }

    private String run() throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        builder.environment().put("KUBERNETES_EXEC_INFO", info);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw problem("cannot be started: " + e.getMessage());
        }
        try {
            process.getOutputStream().close();
            Thread.ofVirtual().start(() -> stopLate(process));
            byte[] output = process.getInputStream().readNBytes(MOST_BYTES);
            int code = process.waitFor();
            if (code != 0) {
                throw problem("ended with " + code);
            }
            return new String(output, StandardCharsets.UTF_8);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw problem("was interrupted");
        }
    }

    private static void stopLate(Process process) {
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
        }
    }

    private KubeConfigException problem(String what) {
        return new KubeConfigException(
                "kubeconfig " + kubeconfig + ": exec plugin " + command.getFirst() + ' ' + what);
    }
}
