package io.sluice.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Base64;

class KubeConfigTest {
    private static final Instant START = Instant.parse("2026-12-01T10:00:00Z");

    @TempDir
    private Path dir;

    private Instant now = START;
    private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);

    private Path write(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text);
    }

    private ClientConfig load(String cluster, String user) throws IOException {
        Path file = write("config", """
                apiVersion: v1
                kind: Config
                current-context: main
                contexts:
                - name: other
                  context: {cluster: none, user: none}
                - name: main
                  context: {cluster: c, user: u, namespace: x}
                clusters:
                - name: c
                  cluster: %s
                users:
                - name: u
                  user: %s
                """.formatted(cluster, user));
        return KubeConfig.load(file, clock);
    }

    private String authorization(String user) throws IOException {
        return load("{server: 'https://h'}", user).credentials().authorization().orElse("none");
    }

    private static String base64(String text) {
        return Base64.getEncoder()
                .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    @Test
    void readsTheCurrentContext() throws IOException {
        ClientConfig config = load(
                "{server: 'https://10.0.0.1:6443', certificate-authority-data: " + base64("CA")
                        + ", tls-server-name: kubernetes.default}",
                "{client-certificate-data: " + base64("CERT") + ", client-key-data: "
                        + base64("KEY") + "}");

        assertThat(config.server()).isEqualTo(URI.create("https://10.0.0.1:6443"));
        assertThat(config.caPem()).isEqualTo("CA");
        assertThat(config.tlsServerName()).isEqualTo("kubernetes.default");
        assertThat(config.certificatePem()).isEqualTo("CERT");
        assertThat(config.keyPem()).isEqualTo("KEY");
        assertThat(config.insecure()).isFalse();
        assertThat(config.credentials().authorization()).isEmpty();
    }

    @Test
    void readsFilesBesideItAndPrefersInlineData() throws IOException {
        write("ca.pem", "FILE");
        write("cert.pem", "CERT");
        write("key.pem", "KEY");
        ClientConfig config = load(
                "{server: 'https://h', certificate-authority: ca.pem}",
                "{client-certificate: cert.pem, client-certificate-data: " + base64("INLINE")
                        + ", client-key: " + dir.resolve("key.pem") + "}");

        assertThat(config.caPem()).isEqualTo("FILE");
        assertThat(config.certificatePem()).isEqualTo("INLINE");
        assertThat(config.keyPem()).isEqualTo("KEY");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                      | none",
                "{token: abc}                            | Bearer abc",
                "{token: \"abc\\n\"}                     | Bearer abc",
                "{username: me, password: 'p:w'}         | Basic bWU6cDp3",
                "{token: abc, username: me, password: x} | Bearer abc",
            })
    void givesCredentials(String user, String expected) throws IOException {
        assertThat(authorization(user)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{server: 'https://h', insecure-skip-tls-verify: true} | {}               | true",
                "{server: 'https://h', insecure-skip-tls-verify: yes}  | {}               | true",
                "{server: 'https://h'}                                 | {}               | false",
            })
    void trustsAnybodyOnlyOnExplicitWish(String cluster, String user, boolean insecure)
            throws IOException {
        assertThat(load(cluster, user).insecure()).isEqualTo(insecure);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                | {}  | server \"\" is no URL",
                "{server: 'ftp://h'}                               | {}  | server \"ftp://h\" is no http(s) URL with a host",
                "{server: 'https://a b'}                           | {}  | server \"https://a b\" is no URL",
                "{server: 'https://h', proxy-url: 'http://p'}      | {}  | proxy-url is not supported; connect directly",
                "{server: 'https://h', certificate-authority: x}   | {}  | cannot read certificate-authority",
                "{server: 'https://h', certificate-authority-data: '='} | {}  | certificate-authority-data is not base64",
                "{server: 'https://h'} | {client-key-data: YQ==}      | user \"u\" must have both client-certificate and client-key",
                "{server: 'https://h'} | {auth-provider: {name: x}} | auth-provider was removed from Kubernetes in 1.26",
                "{server: 'https://h'} | {exec: {command: x}}      | exec apiVersion \"\" is not supported",
                "{server: 'https://h'} | {exec: {apiVersion: client.authentication.k8s.io/v1}} | exec has no command",
            })
    void namesFileAndFieldOfAProblem(String cluster, String user, String problem) {
        assertThatThrownBy(() -> load(cluster, user))
                .isInstanceOf(KubeConfigException.class)
                .hasMessageContaining(dir.resolve("config").toString())
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                                             | expected a YAML mapping, found nothing",
                "[]                                             | expected a YAML mapping, found array",
                "a: [                                           | not YAML",
                "{}                                             | has no current-context",
                "{current-context: x}                           | has no context named \"x\" in contexts",
                "{current-context: x, contexts: 5}              | has no context named \"x\" in contexts",
                "{current-context: x, contexts: [{name: x, context: {cluster: c}}]} | has no cluster named \"c\" in clusters",
            })
    void refusesWhatIsNoKubeconfig(String text, String problem) throws IOException {
        Path file = write("bad", text);
        assertThatThrownBy(() -> KubeConfig.load(file, clock))
                .isInstanceOf(KubeConfigException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(problem);
    }

    @Test
    void saysWhichFileIsMissing() {
        assertThatThrownBy(() -> KubeConfig.load(dir.resolve("none"), clock))
                .isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("cannot read kubeconfig " + dir.resolve("none"));
    }

    @Test
    void takesAnotherContextAndServer() throws IOException {
        Path file = write("two", """
                current-context: a
                contexts:
                - {name: a, context: {cluster: c}}
                - {name: b, context: {cluster: d}}
                clusters:
                - {name: c, cluster: {server: 'https://c'}}
                - {name: d, cluster: {server: 'https://d'}}
                """);

        assertThat(KubeConfig.load(file, clock).server()).isEqualTo(URI.create("https://c"));
        assertThat(KubeConfig.load(file, "b", "", clock).server())
                .isEqualTo(URI.create("https://d"));
        assertThat(KubeConfig.load(file, "b", "localhost:8443", clock).server())
                .isEqualTo(URI.create("https://localhost:8443"));
    }

    @Test
    void readsATokenFileAgainAndKeepsTheOldTokenWhileItIsReplaced() throws IOException {
        Path file = write("token", "one\n");
        ClientConfig.Credentials credentials = load(
                        "{server: 'https://h'}", "{tokenFile: token, token: inline}")
                .credentials();

        assertThat(credentials.authorization()).contains("Bearer one");
        write("token", "two\n");
        assertThat(credentials.authorization()).contains("Bearer one");
        now = START.plus(Duration.ofSeconds(61));
        assertThat(credentials.authorization()).contains("Bearer two");
        Files.delete(file);
        now = START.plus(Duration.ofSeconds(200));
        assertThat(credentials.authorization()).contains("Bearer two");
        write("token", "three");
        credentials.rejected();
        assertThat(credentials.authorization()).contains("Bearer three");
        Files.delete(file);
        credentials.rejected();
        assertThatThrownBy(credentials::authorization)
                .isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("cannot read token file " + file);
        write("token", " \n");
        assertThatThrownBy(credentials::authorization).hasMessageContaining("is empty");
    }

    private ClientConfig.Credentials plugin(String script, String more) throws IOException {
        Path program = write("plugin", "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return load(
                        "{server: 'https://h', certificate-authority-data: " + base64("CA") + "}",
                        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin"
                                + more + "}}")
                .credentials();
    }

    @Test
    void asksAPluginAndKeepsItsTokenUntilItExpiresOrIsRefused() throws IOException {
        ClientConfig.Credentials credentials =
                plugin("""
                echo x >> "$0.calls"
                n=$(wc -l < "$0.calls")
                printf '{"status":{"token":"%s-%s-%s","expirationTimestamp":"%s"}}' "$1" "$TEAM" "$n" "2026-12-01T10:0$n:00Z"
                """, ", args: [web, 'a b'], env: [{name: TEAM, value: red}]");

        assertThat(credentials.authorization()).contains("Bearer web-red-1");
        assertThat(credentials.authorization()).contains("Bearer web-red-1");
        now = Instant.parse("2026-12-01T10:01:00Z");
        assertThat(credentials.authorization()).contains("Bearer web-red-2");
        credentials.rejected();
        assertThat(credentials.authorization()).contains("Bearer web-red-3");
    }

    @Test
    void tellsAPluginAboutTheClusterWhenAsked() throws IOException {
        ClientConfig.Credentials credentials = plugin("""
                printf '%s' "$KUBERNETES_EXEC_INFO" > "$0.info"
                echo '{"status":{"token":"t"}}'
                """, ", provideClusterInfo: true");
        credentials.authorization();

        assertThat(Files.readString(dir.resolve("plugin.info")))
                .isEqualTo(
                        "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"spec\":"
                                + "{\"interactive\":false,\"cluster\":{\"server\":\"https://h\",\"certificate-authority-data\":\""
                                + base64("CA") + "\"}}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "exit 3                                              | ended with 3",
                "echo hello                                          | printed no ExecCredential",
                "echo {}                                             | gave no status.token",
                "echo '{\"status\":{\"clientCertificateData\":\"x\"}}' | only tokens are supported",
            })
    void namesThePluginThatFails(String script, String problem) throws IOException {
        ClientConfig.Credentials credentials = plugin(script, "");
        assertThatThrownBy(credentials::authorization)
                .isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("plugin")
                .hasMessageContaining(problem);
    }

    @Test
    void namesThePluginThatIsMissing() throws IOException {
        ClientConfig.Credentials credentials = load(
                        "{server: 'https://h'}",
                        "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: sluice-no-such-program}}")
                .credentials();
        assertThatThrownBy(credentials::authorization)
                .isInstanceOf(KubeConfigException.class)
                .hasMessageContaining("sluice-no-such-program cannot be started");
    }
}
