package io.sluice.apiserver;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.sluice.apiserver.pki.KeyedCertificate;
import io.sluice.apiserver.pki.Pki;
import io.sluice.apiserver.pki.SubjectNames;

import java.io.IOException;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** The server's side of TLS, with a certificate that is renewed while it runs. */
final class ServingTls implements Supplier<SslContext> {
    private final Pki pki;
    private final SubjectNames names;
    private volatile Current current;

    private record Current(KeyedCertificate certificate, SslContext context) {}

    ServingTls(Pki pki, SubjectNames names) throws IOException {
        this.pki = pki;
        this.names = names;
        this.current = load();
    }

    private Current load() throws IOException {
        KeyedCertificate certificate = pki.serving(names);
        try {
            SslContext context = SslContextBuilder.forServer(new OneKey(certificate))
                    .sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .clientAuth(ClientAuth.OPTIONAL)
                    .trustManager(new AnyClient(pki.authorityCertificate()))
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            ApplicationProtocolConfig.Protocol.ALPN,
                            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2,
                            ApplicationProtocolNames.HTTP_1_1))
                    .build();
            return new Current(certificate, context);
        } catch (SSLException e) {
            throw new IOException(
                    "cannot serve TLS with " + certificate + ": " + e.getMessage(), e);
        }
    }

    /** Takes a new certificate where the present one nears its end; open connections keep theirs. */
    boolean renew() throws IOException {
        KeyedCertificate newest = pki.serving(names);
        if (newest.certificate().equals(current.certificate().certificate())) {
            return false;
        }
        current = load();
        return true;
    }

    @Override
    public SslContext get() {
        return current.context();
    }

    /**
     * Takes every certificate in the handshake: whether it proves anything is decided with the request, whose answer tells the client
     * more than a broken handshake does.
     */
    private static final class AnyClient extends X509ExtendedTrustManager {
        private final X509Certificate authority;

        AnyClient(X509Certificate authority) {
            this.authority = authority;
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[] {authority};
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}
    }

    /** Our one key. A key store would encrypt it with a password first, which takes a tenth of a second at start. */
    private static final class OneKey extends X509ExtendedKeyManager {
        private static final String ALIAS = "serving";

        private final KeyedCertificate certificate;

        OneKey(KeyedCertificate certificate) {
            this.certificate = certificate;
        }

        private String aliasFor(String keyType) {
            return keyType.startsWith("EC") ? ALIAS : null;
        }

        @Override
        public String chooseEngineServerAlias(
                String keyType, Principal[] issuers, SSLEngine engine) {
            return aliasFor(keyType);
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return aliasFor(keyType);
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {certificate.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return certificate.key();
        }
    }
}
