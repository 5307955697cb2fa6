package io.sluice.apiserver.pki;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Keys and certificates of one cluster, made at the first start and renewed when they near their end. The authority itself lives ten
 * years and is never replaced by the program.
 */
public final class Pki {
    private static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);
    private static final Duration LEAF_LIFE = Duration.ofDays(365);
    private static final Duration RENEW_BEFORE = Duration.ofDays(60);
    private static final byte[] PROBE = {1, 2, 3, 4};

    private final Path directory;
    private final Clock clock;
    private final SecureRandom random;
    private final KeyedCertificate authority;

    private Pki(Path directory, Clock clock, SecureRandom random, KeyedCertificate authority) {
        this.directory = directory;
        this.clock = clock;
        this.random = random;
        this.authority = authority;
    }

    /** @throws PkiException if files are there but do not fit together; nothing is replaced then */
    public static Pki open(Path directory, Clock clock, SecureRandom random) throws PkiException {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(
                        directory,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
            }
        } catch (IOException e) {
            throw new PkiException(
                    "cannot make the directory " + directory + ": " + e.getMessage(), e);
        }
        return new Pki(directory, clock, random, authority(directory, clock, random));
    }

    private static KeyedCertificate authority(Path directory, Clock clock, SecureRandom random)
            throws PkiException {
        Path certificateFile = directory.resolve("ca.crt");
        Path keyFile = directory.resolve("ca.key");
        if (!Files.exists(certificateFile)) {
            KeyedCertificate made = new CertificateIssuer(clock.instant(), random)
                    .authority("kubernetes", AUTHORITY_LIFE);
            PemFiles.writeSecret(keyFile, PemFiles.pem(made.key()));
            PemFiles.writePublic(certificateFile, PemFiles.pem(made.certificate()));
            return made;
        }
        KeyedCertificate read = new KeyedCertificate(
                PemFiles.readKey(keyFile), PemFiles.readCertificate(certificateFile));
        if (!fits(read)) {
            throw new PkiException("the key " + keyFile + " does not belong to the certificate "
                    + certificateFile + "; restore the pair, or remove " + directory
                    + " to make a new authority (all clients need new kubeconfigs then)");
        }
        return read;
    }

    public X509Certificate authorityCertificate() {
        return authority.certificate();
    }

    /** The server's certificate for the names; a new one where the present one lacks a name or ends soon. */
    public KeyedCertificate serving(SubjectNames names) throws PkiException {
        return leaf(
                "apiserver",
                certificate -> SubjectNames.of(certificate).covers(names),
                issuer -> issuer.serving(authority, names, LEAF_LIFE));
    }

    /** A client's certificate. @param file name of its files, without ending */
    public KeyedCertificate client(String file, String user, List<String> groups)
            throws PkiException {
        return leaf(file, _ -> true, issuer -> issuer.client(authority, user, groups, LEAF_LIFE));
    }

    /** Issues one certificate. */
    private interface Issue {
        KeyedCertificate with(CertificateIssuer issuer) throws PkiException;
    }

    private KeyedCertificate leaf(String name, Predicate<X509Certificate> suits, Issue issue)
            throws PkiException {
        Path certificateFile = directory.resolve(name + ".crt");
        Path keyFile = directory.resolve(name + ".key");
        if (Files.exists(certificateFile) && Files.exists(keyFile)) {
            KeyedCertificate present = new KeyedCertificate(
                    PemFiles.readKey(keyFile), PemFiles.readCertificate(certificateFile));
            if (isCurrent(present.certificate())
                    && suits.test(present.certificate())
                    && fits(present)) {
                return present;
            }
        }
        KeyedCertificate made = issue.with(new CertificateIssuer(clock.instant(), random));
        PemFiles.writeSecret(keyFile, PemFiles.pem(made.key()));
        PemFiles.writePublic(certificateFile, PemFiles.pem(made.certificate()));
        return made;
    }

    private boolean isCurrent(X509Certificate certificate) {
        Instant now = clock.instant();
        boolean ours = Arrays.equals(
                certificate.getIssuerX500Principal().getEncoded(),
                authority.certificate().getSubjectX500Principal().getEncoded());
        return ours
                && isSignedBy(certificate, authority.certificate().getPublicKey())
                && certificate.getNotBefore().toInstant().isBefore(now)
                && certificate.getNotAfter().toInstant().isAfter(now.plus(RENEW_BEFORE));
    }

    /** Whether the authority issued the certificate; says nothing about time. */
    public boolean issued(X509Certificate certificate) {
        return isSignedBy(certificate, authority.certificate().getPublicKey());
    }

    private static boolean isSignedBy(X509Certificate certificate, PublicKey key) {
        try {
            certificate.verify(key);
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static boolean fits(KeyedCertificate pair) {
        return fits(pair.key(), pair.certificate().getPublicKey());
    }

    private static boolean fits(PrivateKey key, PublicKey other) {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(other);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** The keys that sign tokens. They are kept as a certificate of our own, so that both halves are in two plain files. */
    public KeyPair tokenKeys() throws PkiException {
        KeyedCertificate pair = leaf(
                "service-accounts",
                _ -> true,
                issuer -> issuer.client(
                        authority, "service-account-signer", List.of(), AUTHORITY_LIFE));
        return new KeyPair(pair.certificate().getPublicKey(), pair.key());
    }
}
