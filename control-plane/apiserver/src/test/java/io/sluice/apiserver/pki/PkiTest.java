package io.sluice.apiserver.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.net.IpAddress;
import io.sluice.apiserver.auth.CertificateAuthenticator;
import io.sluice.apiserver.auth.Identity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

class PkiTest {
    private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

    @TempDir
    Path directory;

    private Pki open(Instant at) throws PkiException {
        return Pki.open(
                directory.resolve("pki"), Clock.fixed(at, ZoneOffset.UTC), new SecureRandom());
    }

    private static SubjectNames names(String... addresses) {
        return SubjectNames.of(
                List.of("localhost"),
                List.of(addresses).stream().map(IpAddress::of).toList());
    }

    @Test
    void keepsCertificatesWhileTheyAreGood() throws Exception {
        X509Certificate first = open(NOW).serving(names("10.0.0.1", "::1")).certificate();
        assertThat(open(NOW.plus(Duration.ofDays(200)))
                        .serving(names("10.0.0.1"))
                        .certificate())
                .isEqualTo(first);
        assertThat(first.getNotBefore().toInstant()).isBefore(NOW);
    }

    @Test
    void issuesAnewWhenANameIsMissingOrTheEndIsNear() throws Exception {
        X509Certificate first = open(NOW).serving(names("10.0.0.1")).certificate();
        X509Certificate second = open(NOW).serving(names("10.0.0.2")).certificate();
        assertThat(second).isNotEqualTo(first);
        Instant late = NOW.plus(Duration.ofDays(330));
        X509Certificate third = open(late).serving(names("10.0.0.2")).certificate();
        assertThat(third.getNotAfter().toInstant()).isAfter(late.plus(Duration.ofDays(300)));
    }

    @Test
    void provesWhoAClientIs() throws Exception {
        Pki pki = open(NOW);
        X509Certificate admin = pki.client(
                        "admin", "kubernetes-admin", List.of("system:masters", "a, b"))
                .certificate();
        CertificateAuthenticator authenticator = new CertificateAuthenticator(pki::issued);
        assertThat(authenticator.identify(admin, NOW)).hasValueSatisfying(who -> {
            assertThat(who.user()).isEqualTo("kubernetes-admin");
            assertThat(who.groups())
                    .containsExactlyInAnyOrder("system:masters", "a, b", Identity.AUTHENTICATED);
        });
        assertThat(authenticator.identify(admin, NOW.plus(Duration.ofDays(400))))
                .isEmpty();
        assertThat(authenticator.identify(admin, NOW.minus(Duration.ofDays(1)))).isEmpty();
        assertThat(authenticator.identify(pki.serving(names("::1")).certificate(), NOW))
                .as("a server's certificate is no client's")
                .isEmpty();
        directory = directory.resolve("other");
        Files.createDirectories(directory);
        assertThat(authenticator.identify(open(NOW).client("x", "x", List.of()).certificate(), NOW))
                .as("another authority proves nothing")
                .isEmpty();
    }

    @Test
    void refusesAKeyThatIsNotTheAuthoritys() throws IOException {
        Pki pki = open(NOW);
        pki.client("admin", "a", List.of());
        Path files = directory.resolve("pki");
        Files.write(files.resolve("ca.key"), Files.readAllBytes(files.resolve("admin.key")));
        assertThatThrownBy(() -> open(NOW))
                .isInstanceOf(PkiException.class)
                .hasMessageContaining("ca.key")
                .hasMessageContaining("does not belong to");
    }
}
