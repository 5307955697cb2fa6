package io.sluice.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.object.Json;
import io.sluice.apiserver.http.HttpLimits;
import io.sluice.store.Store;
import io.sluice.store.embedded.EmbeddedOptions;
import io.sluice.store.embedded.EmbeddedStore;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A real server on a free port of 127.0.0.1, on an embedded store, with clients for it. */
public final class RunningServer implements AutoCloseable {
    private static final char[] PASSWORD = "test".toCharArray();

    private final Path directory;
    private final Store store;
    private final ApiServer server;

    private RunningServer(Path directory, Store store, ApiServer server) {
        this.directory = directory;
        this.store = store;
        this.server = server;
    }

    public static RunningServer start(Path directory) throws IOException {
        return start(directory, HttpLimits.defaults());
    }

    static RunningServer start(Path directory, HttpLimits limits) throws IOException {
        Store store = EmbeddedStore.open(
                directory.resolve("store"),
                EmbeddedOptions.defaults(),
                Thread.ofPlatform().daemon().factory(),
                Thread.ofVirtual().factory());
        ApiServerConfig config = ApiServerConfig.of(
                        directory,
                        IpAddress.of("127.0.0.1"),
                        0,
                        List.of(Cidr.of("10.96.0.0/16")),
                        "test-host",
                        "test")
                .withAdvertised(IpAddress.of("192.0.2.10"))
                .withLimits(limits);
        return new RunningServer(
                directory, store, ApiServer.start(config, store, Clock.systemUTC()));
    }

    ApiServer server() {
        return server;
    }

    Path directory() {
        return directory;
    }

    Store store() {
        return store;
    }

    URI uri(String path) {
        return URI.create(server.address() + path);
    }

    /** @param identity name of certificate and key in the server's pki directory; empty for an anonymous client */
    SSLContext tls(String identity) {
        return tls(directory, identity);
    }

    static SSLContext tls(Path directory, String identity) {
        try {
            Path pki = directory.resolve("pki");
            KeyStore trusted = emptyStore();
            trusted.setCertificateEntry("ca", certificate(pki.resolve("ca.crt")));
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            SSLContext out = SSLContext.getInstance("TLS");
            out.init(
                    identity.isEmpty() ? new KeyManager[0] : keys(pki, identity),
                    trust.getTrustManagers(),
                    null);
            return out;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError("the server's keys cannot be used", e);
        }
    }

    private static KeyManager[] keys(Path pki, String identity)
            throws GeneralSecurityException, IOException {
        String pem = java.nio.file.Files.readString(pki.resolve(identity + ".key"));
        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        KeyStore own = emptyStore();
        own.setKeyEntry(
                "key",
                KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der)),
                PASSWORD,
                new Certificate[] {certificate(pki.resolve(identity + ".crt"))});
        KeyManagerFactory out = KeyManagerFactory.getInstance("SunX509");
        out.init(own, PASSWORD);
        return out.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore out = KeyStore.getInstance("PKCS12");
        out.load(null, PASSWORD);
        return out;
    }

    private static Certificate certificate(Path file) throws GeneralSecurityException, IOException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(
                        new ByteArrayInputStream(java.nio.file.Files.readAllBytes(file)));
    }

    /** @param identity as for {@link #tls} */
    Caller as(String identity, HttpClient.Version version) {
        return new Caller(HttpClient.newBuilder()
                .sslContext(tls(identity))
                .version(version)
                .connectTimeout(Duration.ofSeconds(20))
                .build());
    }

    Caller admin() {
        return as("admin", HttpClient.Version.HTTP_2);
    }

    /** An answer with its body as text. */
    record Answer(int code, String contentType, String body, HttpResponse<byte[]> whole) {
        ObjectNode json() {
            try {
                return Json.parseObject(body);
            } catch (IOException e) {
                throw new AssertionError("no JSON: " + body, e);
            }
        }
    }

    /** One client of the server. */
    final class Caller implements AutoCloseable {
        private final HttpClient client;

        Caller(HttpClient client) {
            this.client = client;
        }

        HttpClient http() {
            return client;
        }

        Answer get(String path, String... headers) {
            return call("GET", path, "", headers);
        }

        Answer post(String path, String body, String... headers) {
            return call("POST", path, body, headers);
        }

        /** A body is JSON, where no header says otherwise. */
        Answer call(String method, String path, String body, String... headers) {
            return call(method, path, body.getBytes(StandardCharsets.UTF_8), headers);
        }

        Answer call(String method, String path, byte[] body, String... headers) {
            HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                    .timeout(Duration.ofSeconds(60))
                    .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
            if (headers.length > 0) {
                request.headers(headers);
            }
            try {
                HttpResponse<byte[]> response =
                        client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
                return new Answer(
                        response.statusCode(),
                        response.headers().firstValue("content-type").orElse(""),
                        new String(response.body(), StandardCharsets.UTF_8),
                        response);
            } catch (IOException e) {
                throw new AssertionError(method + ' ' + path + " failed", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }

        @Override
        public void close() {
            client.shutdownNow();
            client.close();
        }
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }
}
