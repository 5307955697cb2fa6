package io.sluice.api.client;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** TLS settings from PEM texts. */
final class TlsContexts {
    private TlsContexts() {}

    static SslContext of(ClientConfig config) throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .endpointIdentificationAlgorithm(config.insecure() ? null : "HTTPS");
        try {
            if (config.insecure()) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            } else if (!config.caPem().isEmpty()) {
                builder.trustManager(stream(config.caPem()));
            }
            if (!config.certificatePem().isEmpty()) {
                builder.keyManager(
                        stream(config.certificatePem()),
                        stream(PrivateKeys.toPkcs8(config.keyPem())));
            }
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "certificates for " + config.server() + " cannot be used: " + e.getMessage()
                            + "; check the"
                            + " kubeconfig's certificate-authority, client-certificate and client-key",
                    e);
        }
    }

    private static InputStream stream(String pem) {
        return new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
    }
}
