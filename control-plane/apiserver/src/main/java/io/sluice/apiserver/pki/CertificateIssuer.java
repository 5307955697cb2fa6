package io.sluice.apiserver.pki;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;

/** Makes certificates. The only class that touches BouncyCastle. */
final class CertificateIssuer {
    /** Clocks of clients may be slow by so much. */
    private static final Duration BACKDATE = Duration.ofHours(1);

    private static final String SIGNATURE = "SHA256withECDSA";

    private final Instant now;
    private final SecureRandom random;

    CertificateIssuer(Instant now, SecureRandom random) {
        this.now = now;
        this.random = random;
    }

    static KeyPair newKeys(SecureRandom random) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        return generator.generateKeyPair();
    }

    KeyedCertificate authority(String commonName, Duration life) throws PkiException {
        try {
            KeyPair keys = newKeys(random);
            X500Name name = name(commonName, List.of());
            X509v3CertificateBuilder builder = builder(name, name, keys.getPublic(), life);
            JcaX509ExtensionUtils ids = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                    .addExtension(
                            Extension.keyUsage,
                            true,
                            new KeyUsage(KeyUsage.keyCertSign
                                    | KeyUsage.cRLSign
                                    | KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.subjectKeyIdentifier,
                            false,
                            ids.createSubjectKeyIdentifier(keys.getPublic()));
            return new KeyedCertificate(keys.getPrivate(), sign(builder, keys.getPrivate()));
        } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
            throw new PkiException("cannot make the certificate authority: " + e.getMessage(), e);
        }
    }

    KeyedCertificate serving(KeyedCertificate authority, SubjectNames names, Duration life)
            throws PkiException {
        List<GeneralName> all = new ArrayList<>();
        names.dns().forEach(dns -> all.add(new GeneralName(GeneralName.dNSName, dns)));
        names.addresses()
                .forEach(address -> all.add(new GeneralName(GeneralName.iPAddress, address)));
        GeneralNames subject = new GeneralNames(all.toArray(GeneralName[]::new));
        return leaf(
                authority,
                name("kube-apiserver", List.of()),
                KeyPurposeId.id_kp_serverAuth,
                List.of(subject),
                life);
    }

    KeyedCertificate client(
            KeyedCertificate authority, String user, List<String> groups, Duration life)
            throws PkiException {
        return leaf(authority, name(user, groups), KeyPurposeId.id_kp_clientAuth, List.of(), life);
    }

    private KeyedCertificate leaf(
            KeyedCertificate authority,
            X500Name subject,
            KeyPurposeId purpose,
            List<GeneralNames> names,
            Duration life)
            throws PkiException {
        try {
            KeyPair keys = newKeys(random);
            X500Name issuer = X500Name.getInstance(
                    authority.certificate().getSubjectX500Principal().getEncoded());
            X509v3CertificateBuilder builder = builder(issuer, subject, keys.getPublic(), life);
            JcaX509ExtensionUtils ids = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose))
                    .addExtension(
                            Extension.authorityKeyIdentifier,
                            false,
                            ids.createAuthorityKeyIdentifier(
                                    authority.certificate().getPublicKey()));
            for (GeneralNames subjectNames : names) {
                builder.addExtension(Extension.subjectAlternativeName, false, subjectNames);
            }
            return new KeyedCertificate(keys.getPrivate(), sign(builder, authority.key()));
        } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
            throw new PkiException(
                    "cannot issue a certificate for " + subject + ": " + e.getMessage(), e);
        }
    }

    private X509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, PublicKey key, Duration life) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(126, random).add(BigInteger.ONE),
                Date.from(now.minus(BACKDATE)),
                Date.from(now.plus(life)),
                subject,
                key);
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key)
            throws GeneralSecurityException, OperatorCreationException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
    }

    private static X500Name name(String commonName, List<String> organizations) {
        X500NameBuilder builder = new X500NameBuilder(BCStyle.INSTANCE);
        organizations.forEach(organization -> builder.addRDN(BCStyle.O, organization));
        return builder.addRDN(BCStyle.CN, commonName).build();
    }
}
