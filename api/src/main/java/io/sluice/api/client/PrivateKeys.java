package io.sluice.api.client;

import java.io.ByteArrayOutputStream;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/**
 * Wraps the two older key formats as PKCS #8 (RFC 5958), the one the JDK reads: PKCS #1 (RFC 8017) for RSA and SEC 1 (RFC 5915)
 * for elliptic curves.
 */
final class PrivateKeys {
    private static final byte[] RSA_ALGORITHM = {
        0x30,
        0x0d,
        0x06,
        0x09,
        0x2a,
        (byte) 0x86,
        0x48,
        (byte) 0x86,
        (byte) 0xf7,
        0x0d,
        0x01,
        0x01,
        0x01,
        0x05,
        0x00
    };
    private static final byte[] EC_PUBLIC_KEY = {
        0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01
    };
    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
    private static final int CURVE_TAG = 0xa0;
    private static final int OBJECT_IDENTIFIER = 0x06;

    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");

    private PrivateKeys() {}

    /**
     * The key in a PEM text, in any of the three formats.
     *
     * @throws IllegalArgumentException saying what it looks like instead
     */
    static PrivateKey parse(String pem) {
        String pkcs8 = toPkcs8(pem);
        if (!pkcs8.contains("BEGIN PRIVATE KEY")) {
            throw new IllegalArgumentException(
                    "the private key is neither PKCS #8, PKCS #1 nor SEC 1 without a password");
        }
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(decode(pkcs8, "PRIVATE KEY"));
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException | NoSuchAlgorithmException e) {
                continue; // another algorithm's key
            }
        }
        throw new IllegalArgumentException("the private key is of none of " + ALGORITHMS);
    }

    /** @return PEM that begins with {@code BEGIN PRIVATE KEY}; text that is so already comes back as it is */
    static String toPkcs8(String pem) {
        if (pem.contains("BEGIN RSA PRIVATE KEY")) {
            byte[] key = decode(pem, "RSA PRIVATE KEY");
            return encode(sequence(VERSION_0, RSA_ALGORITHM, der(0x04, key)));
        }
        if (pem.contains("BEGIN EC PRIVATE KEY")) {
            byte[] key = decode(pem, "EC PRIVATE KEY");
            return encode(sequence(VERSION_0, sequence(EC_PUBLIC_KEY, curve(key)), der(0x04, key)));
        }
        return pem;
    }

    private static byte[] decode(String pem, String type) {
        String begin = "-----BEGIN " + type + "-----";
        int start = pem.indexOf(begin) + begin.length();
        int end = pem.indexOf("-----END " + type + "-----");
        if (end < start) {
            throw new IllegalArgumentException("the private key has no END line");
        }
        return Base64.getMimeDecoder().decode(pem.substring(start, end));
    }

    /** The curve's object identifier, which SEC 1 keys carry in a tagged field behind the 32 to 66 key bytes. */
    private static byte[] curve(byte[] key) {
        for (int i = 0; i + 3 < key.length; i++) {
            int length = key[i + 1];
            boolean tagged =
                    (key[i] & 0xff) == CURVE_TAG && length > 2 && i + 2 + length <= key.length;
            if (tagged && key[i + 2] == OBJECT_IDENTIFIER && key[i + 3] == length - 2) {
                byte[] out = new byte[length];
                System.arraycopy(key, i + 2, out, 0, length);
                return out;
            }
        }
        throw new IllegalArgumentException("the EC private key does not name its curve");
    }

    private static byte[] sequence(byte[]... parts) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            body.writeBytes(part);
        }
        return der(0x30, body.toByteArray());
    }

    private static byte[] der(int tag, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (value.length < 0x80) {
            out.write(value.length);
        } else if (value.length < 0x100) {
            out.write(0x81);
            out.write(value.length);
        } else {
            out.write(0x82);
            out.write(value.length >>> 8);
            out.write(value.length);
        }
        out.writeBytes(value);
        return out.toByteArray();
    }

    private static String encode(byte[] der) {
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END PRIVATE KEY-----\n";
    }
}
