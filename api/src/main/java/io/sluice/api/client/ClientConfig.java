package io.sluice.api.client;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * Where the API server is and who we are.
 *
 * @param server scheme, host, port and optional base path
 * @param caPem certificates to trust, PEM; empty: those of the JDK
 * @param insecure trust any certificate; only by explicit wish of a kubeconfig
 * @param tlsServerName name to ask for and to expect; empty: the server's host
 * @param certificatePem client certificate chain, PEM; empty for none
 * @param keyPem its key, PEM (PKCS #8, PKCS #1 or SEC 1); empty for none
 * @param credentials bearer or basic credentials, asked before each request
 * @param userAgent as servers log it
 * @param requestTimeout for everything but watches
 */
public record ClientConfig(
        URI server,
        String caPem,
        boolean insecure,
        String tlsServerName,
        String certificatePem,
        String keyPem,
        Credentials credentials,
        String userAgent,
        Duration requestTimeout) {

    /** Value of the {@code Authorization} header, asked before each request; may block, may refresh itself. */
    @FunctionalInterface
    public interface Credentials {
        Credentials NONE = () -> Optional.empty();

        Optional<String> authorization() throws java.io.IOException;

        /** The server answered 401: what was given out is not to be given again. */
        default void rejected() {}
    }

    public ClientConfig withUserAgent(String name) {
        return new ClientConfig(
                server,
                caPem,
                insecure,
                tlsServerName,
                certificatePem,
                keyPem,
                credentials,
                name,
                requestTimeout);
    }
}
