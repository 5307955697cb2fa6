package io.sluice.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslContext;
import io.sluice.api.Seeds;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The client's small parts, each alone. */
class PartsTest {

    @Test
    void waitsLongerEachTimeWithinItsBounds() {
        Seeds.run(50, random -> {
            WatchPace pace = new WatchPace(
                    Duration.ZERO, Duration.ofMillis(200), Duration.ofSeconds(10), () -> random);
            Backoff backoff = new Backoff(pace);
            for (int round = 0; round < 2; round++) {
                long step = 200;
                for (int i = 0; i < 20; i++) {
                    assertThat(backoff.next().toMillis()).isBetween(step / 2, step);
                    step = Math.min(step * 2, 10_000);
                }
                backoff.reset();
            }
        });
    }

    @Test
    void cutsAStreamIntoLinesHoweverItArrives() {
        Seeds.run(200, random -> {
            List<String> lines = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(6); i > 0; i--) {
                String line =
                        "é{" + "x".repeat(random.nextInt(random.nextBoolean() ? 10 : 40_000)) + "}";
                lines.add(line);
                text.append(line).append("\n".repeat(1 + random.nextInt(2)));
            }
            assertThat(lines(new Dribble(text.toString(), random))).isEqualTo(lines);
        });
    }

    private static List<String> lines(InputStream in) {
        List<String> out = new ArrayList<>();
        try (JsonLines lines = new JsonLines(in)) {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                out.add(new String(line.get(), StandardCharsets.UTF_8));
            }
            return out;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Gives a few bytes at a time. */
    private static final class Dribble extends InputStream {
        private final ByteArrayInputStream in;
        private final Random random;

        Dribble(String text, Random random) {
            in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
            this.random = random;
        }

        @Override
        public int read() {
            return in.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return in.read(target, offset, Math.min(length, 1 + random.nextInt(20_000)));
        }
    }

    @Test
    void refusesCutAndEndlessLines() {
        assertThatThrownBy(() -> new JsonLines(
                                new ByteArrayInputStream("{\"a\"".getBytes(StandardCharsets.UTF_8)))
                        .next())
                .hasMessage("the stream ended within an event");
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                java.util.Arrays.fill(target, offset, offset + length, (byte) 'x');
                return length;
            }
        };
        assertThatThrownBy(() -> new JsonLines(endless).next()).hasMessageContaining("larger than");
    }

    /** The two older forms are what their PKCS #8 form holds inside. */
    @ParameterizedTest
    @CsvSource({
        "RSA, 2048, RSA PRIVATE KEY",
        "EC, 256, EC PRIVATE KEY",
        "EC, 384, EC PRIVATE KEY",
        "EC, 521, EC PRIVATE KEY"
    })
    void wrapsOldKeys(String algorithm, int bits, String type) throws Exception {
        KeyPair keys = TestPki.keys(algorithm, bits);
        String old = TestPki.pem(type, old(keys, algorithm));

        String pem = PrivateKeys.toPkcs8("some text before\n" + old);

        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        PrivateKey read =
                KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
        assertThat(number(read)).isEqualTo(number(keys.getPrivate()));
        assertThat(number(PrivateKeys.parse(old))).isEqualTo(number(keys.getPrivate()));
    }

    @ParameterizedTest
    @CsvSource({
        "'', neither PKCS #8",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----, without a password",
        "-----BEGIN PRIVATE KEY-----AAAA-----END PRIVATE KEY-----, is of none of",
        "-----BEGIN PRIVATE KEY-----AAAA, no END line"
    })
    void refusesWhatIsNoKey(String pem, String why) {
        assertThatThrownBy(() -> PrivateKeys.parse(pem))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    private static BigInteger number(PrivateKey key) {
        return key instanceof java.security.interfaces.ECPrivateKey ec
                ? ec.getS()
                : ((java.security.interfaces.RSAPrivateKey) key).getPrivateExponent();
    }

    private static byte[] old(KeyPair keys, String algorithm) throws IOException {
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded());
        if (algorithm.equals("RSA")) {
            return info.parsePrivateKey().toASN1Primitive().getEncoded();
        }
        var point =
                SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded()).getPublicKeyData();
        var inner = org.bouncycastle.asn1.sec.ECPrivateKey.getInstance(info.parsePrivateKey());
        int bits = ((java.security.interfaces.ECPrivateKey) keys.getPrivate())
                .getParams()
                .getCurve()
                .getField()
                .getFieldSize();
        return new org.bouncycastle.asn1.sec.ECPrivateKey(
                        bits,
                        inner.getKey(),
                        point,
                        info.getPrivateKeyAlgorithm().getParameters())
                .getEncoded();
    }

    @Test
    void leavesNewKeysAlone() {
        String pem = TestPki.pem("PRIVATE KEY", new byte[] {1, 2, 3});
        assertThat(PrivateKeys.toPkcs8(pem)).isEqualTo(pem);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no certificate",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "-----BEGIN CERTIFICATE-----\n"
            })
    void saysWhichServersCertificatesAreBad(String pem) {
        ClientConfig config = new ClientConfig(
                URI.create("https://h"),
                "x" + pem,
                false,
                "",
                "",
                "",
                ClientConfig.Credentials.NONE,
                "t",
                Duration.ZERO);
        assertThatThrownBy(() -> TlsContexts.of(config))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("https://h");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n",
                "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----",
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
                "nothing"
            })
    void saysThatAKeyIsBad(String key) {
        TestPki pki = new TestPki();
        ClientConfig config = new ClientConfig(
                URI.create("https://h"),
                pki.authority.certificatePem(),
                false,
                "",
                pki.client.certificatePem(),
                key,
                ClientConfig.Credentials.NONE,
                "t",
                Duration.ZERO);
        assertThatThrownBy(() -> TlsContexts.of(config))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("https://h");
    }

    @Test
    void buildsAContextFromPem() throws IOException {
        TestPki pki = new TestPki();
        SslContext context = TlsContexts.of(new ClientConfig(
                URI.create("https://h"),
                pki.authority.certificatePem() + pki.server.certificatePem(),
                false,
                "",
                pki.client.certificatePem(),
                pki.client.keyPem(),
                ClientConfig.Credentials.NONE,
                "t",
                Duration.ZERO));
        assertThat(context.isClient()).isTrue();
    }
}
