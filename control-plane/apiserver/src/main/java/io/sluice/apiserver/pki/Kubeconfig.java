package io.sluice.apiserver.pki;

import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;

/** Kubeconfig files for clients with certificates. */
public final class Kubeconfig {
    private Kubeconfig() {}

    /** @param server {@code https://127.0.0.1:6443} */
    public static String text(
            String server, X509Certificate authority, String user, KeyedCertificate client)
            throws PkiException {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: sluice
                  cluster:
                    server: %s
                    certificate-authority-data: %s
                users:
                - name: %s
                  user:
                    client-certificate-data: %s
                    client-key-data: %s
                contexts:
                - name: sluice
                  context:
                    cluster: sluice
                    user: %s
                current-context: sluice
                """.formatted(
                        server,
                        base64(PemFiles.pem(authority)),
                        user,
                        base64(PemFiles.pem(client.certificate())),
                        base64(PemFiles.pem(client.key())),
                        user);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
