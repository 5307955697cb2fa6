package io.sluice.apiserver.pki;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/** A certificate with its private key. */
public record KeyedCertificate(PrivateKey key, X509Certificate certificate) {

    /** {@code CN=…} and files are all a log may show of it. */
    @Override
    public String toString() {
        return String.valueOf(certificate.getSubjectX500Principal());
    }
}
