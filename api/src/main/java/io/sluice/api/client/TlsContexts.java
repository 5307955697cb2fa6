package io.sluice.api.client;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

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
                // Parsed here: Netty would load all of BouncyCastle where that is at hand.
                builder.keyManager(
                        PrivateKeys.parse(config.keyPem()), certificates(config.certificatePem()));
            }
            return builder.build();
        } catch (IllegalArgumentException | CertificateException e) {
            throw new IOException(
                    "certificates for " + config.server() + " cannot be used: " + e.getMessage()
                            + "; check the"
                            + " kubeconfig's certificate-authority, client-certificate and client-key",
                    e);
        }
    }

    private static X509Certificate[] certificates(String pem) throws CertificateException {
        return CertificateFactory.getInstance("X.509").generateCertificates(stream(pem)).stream()
                .map(X509Certificate.class::cast)
                .toArray(X509Certificate[]::new);
    }

    private static InputStream stream(String pem) {
        return new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
    }
}
