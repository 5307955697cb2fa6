package io.sluice.api.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.api.object.Yaml;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/** Reads kubeconfig files and the configuration of a pod. */
public final class KubeConfig {
    private static final Path POD_DIR = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Path file;
    private final Clock clock;

    private KubeConfig(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    /** The file's current context. Relative paths in it are relative to the file. */
    public static ClientConfig load(Path file, Clock clock) throws IOException {
        return load(file, "", "", clock);
    }

    /**
     * @param context empty for the current one
     * @param server replaces the cluster's server; empty to keep it
     */
    public static ClientConfig load(Path file, String context, String server, Clock clock)
            throws IOException {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new KubeConfigException("cannot read kubeconfig " + file + ": " + e, e);
        }
        try {
            return new KubeConfig(file, clock).resolve(Yaml.parseObject(text), context, server);
        } catch (io.sluice.api.object.YamlException e) {
            throw new KubeConfigException("kubeconfig " + file + " is " + e.getMessage(), e);
        }
    }

    /** From the service account files of a pod; empty outside of one. */
    public static Optional<ClientConfig> inCluster(Clock clock) throws IOException {
        String host = System.getenv("KUBERNETES_SERVICE_HOST");
        String port = System.getenv("KUBERNETES_SERVICE_PORT");
        Path token = POD_DIR.resolve("token");
        if (host == null || port == null || !Files.exists(token)) {
            return Optional.empty();
        }
        URI server = URI.create(
                "https://" + (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + port);
        return Optional.of(new ClientConfig(
                server,
                Files.readString(POD_DIR.resolve("ca.crt")),
                false,
                "",
                "",
                "",
                new TokenFile(token, clock),
                "sluice",
                TIMEOUT));
    }

    private ClientConfig resolve(ObjectNode root, String wanted, String server) throws IOException {
        String contextName = wanted.isEmpty() ? KubeObject.text(root, "current-context") : wanted;
        if (contextName.isEmpty()) {
            throw new KubeConfigException("kubeconfig " + file + " has no current-context");
        }
        JsonNode context = named(root, "contexts", "context", contextName);
        JsonNode cluster = named(root, "clusters", "cluster", KubeObject.text(context, "cluster"));
        String userName = KubeObject.text(context, "user");
        JsonNode user = userName.isEmpty()
                ? MissingNode.getInstance()
                : named(root, "users", "user", userName);
        if (!KubeObject.text(cluster, "proxy-url").isEmpty()) {
            throw new KubeConfigException(
                    "kubeconfig " + file + ": proxy-url is not supported; connect directly");
        }
        boolean insecure = cluster.path("insecure-skip-tls-verify").asBoolean(false);
        String certificate = pem(user, "client-certificate");
        String key = pem(user, "client-key");
        if (certificate.isEmpty() != key.isEmpty()) {
            throw new KubeConfigException("kubeconfig " + file + ": user \"" + userName
                    + "\" must have both client-certificate and client-key, or neither");
        }
        return new ClientConfig(
                server(server.isEmpty() ? KubeObject.text(cluster, "server") : server),
                pem(cluster, "certificate-authority"),
                insecure,
                KubeObject.text(cluster, "tls-server-name"),
                certificate,
                key,
                credentials(user, clusterInfo(cluster)),
                "sluice",
                TIMEOUT);
    }

    private URI server(String text) throws IOException {
        try {
            URI uri = URI.create(text.contains("://") ? text : "https://" + text);
            boolean known = "https".equals(uri.getScheme()) || "http".equals(uri.getScheme());
            if (known && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            throw new KubeConfigException(
                    "kubeconfig " + file + ": server \"" + text + "\" is no URL", e);
        }
        throw new KubeConfigException(
                "kubeconfig " + file + ": server \"" + text + "\" is no http(s) URL with a host");
    }

    private JsonNode named(ObjectNode root, String list, String field, String name)
            throws IOException {
        for (JsonNode item : root.path(list)) {
            if (KubeObject.text(item, "name").equals(name)) {
                return item.path(field);
            }
        }
        throw new KubeConfigException(
                "kubeconfig " + file + " has no " + field + " named \"" + name + "\" in " + list);
    }

    /** Inline data wins over a file, as for kubectl. */
    private String pem(JsonNode parent, String field) throws IOException {
        String data = KubeObject.text(parent, field + "-data");
        if (!data.isEmpty()) {
            try {
                return new String(Base64.getMimeDecoder().decode(data), StandardCharsets.US_ASCII);
            } catch (IllegalArgumentException e) {
                throw new KubeConfigException(
                        "kubeconfig " + file + ": " + field + "-data is not base64", e);
            }
        }
        String path = KubeObject.text(parent, field);
        if (path.isEmpty()) {
            return "";
        }
        try {
            return Files.readString(relative(path));
        } catch (IOException e) {
            throw new KubeConfigException(
                    "kubeconfig " + file + ": cannot read " + field + ": " + e, e);
        }
    }

    private Path relative(String path) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? Path.of(path) : parent.resolve(path);
    }

    /** The cluster as credential plugins that ask for it are told. */
    private ObjectNode clusterInfo(JsonNode cluster) throws IOException {
        ObjectNode out = Json.object().put("server", KubeObject.text(cluster, "server"));
        String name = KubeObject.text(cluster, "tls-server-name");
        String authority = pem(cluster, "certificate-authority");
        if (!name.isEmpty()) {
            out.put("tls-server-name", name);
        }
        if (cluster.path("insecure-skip-tls-verify").asBoolean(false)) {
            out.put("insecure-skip-tls-verify", true);
        }
        if (!authority.isEmpty()) {
            byte[] bytes = authority.getBytes(StandardCharsets.US_ASCII);
            out.put("certificate-authority-data", Base64.getEncoder().encodeToString(bytes));
        }
        return out;
    }

    private ClientConfig.Credentials credentials(JsonNode user, ObjectNode cluster)
            throws IOException {
        String tokenFile = KubeObject.text(user, "tokenFile");
        String token = KubeObject.text(user, "token").strip();
        String name = KubeObject.text(user, "username");
        if (!tokenFile.isEmpty()) {
            return new TokenFile(relative(tokenFile), clock);
        }
        if (!token.isEmpty()) {
            return () -> Optional.of("Bearer " + token);
        }
        if (!name.isEmpty()) {
            String pair = name + ':' + KubeObject.text(user, "password");
            String encoded =
                    Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            return () -> Optional.of("Basic " + encoded);
        }
        if (user.path("exec") instanceof ObjectNode exec) {
            return ExecCredentials.of(exec, cluster, file, clock);
        }
        if (!user.path("auth-provider").isMissingNode()) {
            throw new KubeConfigException("kubeconfig " + file
                    + ": auth-provider was removed from Kubernetes in 1.26; use an exec plugin");
        }
        return ClientConfig.Credentials.NONE;
    }
}
