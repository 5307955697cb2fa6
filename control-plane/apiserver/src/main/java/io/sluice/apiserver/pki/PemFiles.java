package io.sluice.apiserver.pki;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Set;

/** PEM in and out. Files appear whole or not at all, and secret ones are never readable by others. */
public final class PemFiles {
    private static final Base64.Encoder LINES =
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    private PemFiles() {}

    public static String pem(X509Certificate certificate) throws PkiException {
        try {
            return block("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateException e) {
            throw new PkiException("cannot write a certificate as PEM: " + e.getMessage(), e);
        }
    }

    public static String pem(PrivateKey key) {
        return block("PRIVATE KEY", key.getEncoded());
    }

    private static String block(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + LINES.encodeToString(der) + "\n-----END " + label
                + "-----\n";
    }

    static X509Certificate readCertificate(Path file) throws PkiException {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
        } catch (IOException | CertificateException e) {
            throw new PkiException(
                    "cannot read the certificate " + file + ": " + e.getMessage()
                            + "; restore it, or remove the directory to make a new one",
                    e);
        }
    }

    static PrivateKey readKey(Path file) throws PkiException {
        try {
            String text = Files.readString(file);
            String body = text.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
            return KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(body)));
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new PkiException(
                    "cannot read the key " + file + ": " + e.getMessage()
                            + "; restore it, or remove the directory to make a new one",
                    e);
        }
    }

    /** Replaces the file in one step; mode 0600. */
    public static void writeSecret(Path file, String text) throws PkiException {
        write(file, text, "rw-------");
    }

    /** As above; mode 0644. */
    public static void writePublic(Path file, String text) throws PkiException {
        write(file, text, "rw-r--r--");
    }

    private static void write(Path file, String text, String mode) throws PkiException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(fresh);
            try (FileChannel out = FileChannel.open(
                    fresh,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)))) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new PkiException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
