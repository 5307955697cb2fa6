package io.sluice.apiserver.auth;

import io.sluice.apiserver.http.HttpExchange;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds out who asks: by certificate, then by bearer token. Thread-safe. */
public final class Authenticator {
    private final CertificateAuthenticator certificates;
    private final ServiceAccountTokens tokens;
    private final InstantSource clock;

    public Authenticator(
            CertificateAuthenticator certificates,
            ServiceAccountTokens tokens,
            InstantSource clock) {
        this.certificates = certificates;
        this.tokens = tokens;
        this.clock = clock;
    }

    /** Empty where something was presented that proves nothing: such a request is refused, and never taken for anonymous. */
    public Optional<Identity> identify(HttpExchange.Head head) {
        Instant now = clock.instant();
        List<X509Certificate> presented = head.certificates();
        String authorization = head.header("authorization");
        if (!presented.isEmpty()) {
            Optional<Identity> found = certificates.identify(presented.getFirst(), now);
            if (found.isPresent() || authorization.isEmpty()) {
                return found;
            }
        }
        if (authorization.isEmpty()) {
            return Optional.of(Identity.ANONYMOUS);
        }
        boolean bearer = authorization.toLowerCase(Locale.ROOT).startsWith("bearer ");
        return bearer
                ? tokens.identify(authorization.substring("bearer ".length()).trim(), now)
                : Optional.empty();
    }
}
