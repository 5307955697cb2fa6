package io.sluice.api.client;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;

/** A certificate authority of its own, with a certificate for a server and one for a client. */
final class TestPki {
    final Pair authority;
    final Pair server;
    final Pair client;

    /** A certificate and its key, both as PEM; the key also as it is. */
    record Pair(String certificatePem, String keyPem, KeyPair keys) {}

    TestPki() {
        try {
            KeyPair ca = keys("EC", 256);
            authority = sign("ca", ca, ca, true);
            server = sign("server", keys("EC", 256), ca, false);
            client = sign("client", keys("EC", 256), ca, false);
        } catch (Exception e) {
            throw new IllegalStateException("cannot make certificates", e);
        }
    }

    static KeyPair keys(String algorithm, int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(bits);
        return generator.generateKeyPair();
    }

    private static Pair sign(String name, KeyPair keys, KeyPair signer, boolean isAuthority)
            throws Exception {
        Instant now = Instant.now();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                new X500Name("CN=ca"),
                new BigInteger(64, new java.security.SecureRandom()),
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofHours(1))),
                new X500Name("CN=" + name),
                keys.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
        builder.addExtension(
                Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                    new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
                    new GeneralName(GeneralName.dNSName, "sluice.test")
                }));
        byte[] der = builder.build(
                        new JcaContentSignerBuilder("SHA256withECDSA").build(signer.getPrivate()))
                .getEncoded();
        return new Pair(
                pem("CERTIFICATE", der), pem("PRIVATE KEY", keys.getPrivate().getEncoded()), keys);
    }

    static String pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }
}
