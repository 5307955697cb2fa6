package io.sluice.apiserver.auth;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.Base64;
import java.util.Optional;

/** JSON web tokens signed with ES256: made, and read back. Knows nothing of what they claim. Pure. */
public final class TokenSigner {
    private static final String ALGORITHM = "SHA256withECDSAinP1363Format";
    private static final int MAX_LENGTH = 16 * 1024;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    private final KeyPair keys;
    private final String header;

    public TokenSigner(KeyPair keys) {
        this.keys = keys;
        ObjectNode fields = Json.object().put("alg", "ES256").put("kid", keyId(keys));
        this.header = ENCODER.encodeToString(Json.bytes(fields));
    }

    private static String keyId(KeyPair keys) {
        try {
            return ENCODER.encodeToString(
                    MessageDigest.getInstance("SHA-256").digest(keys.getPublic().getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    public String sign(ObjectNode claims) {
        String signed = header + '.' + ENCODER.encodeToString(Json.bytes(claims));
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(keys.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + '.' + ENCODER.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the token key cannot sign: " + e.getMessage(), e);
        }
    }

    /** The claims of a token with our signature; empty for any other text. */
    public Optional<ObjectNode> read(String token) {
        String[] parts = token.split("\\.", -1);
        if (token.length() > MAX_LENGTH || parts.length != 3) {
            return Optional.empty();
        }
        try {
            ObjectNode head = Json.parseObject(Base64.getUrlDecoder().decode(parts[0]));
            if (!head.path("alg").asText().equals("ES256")) {
                return Optional.empty();
            }
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(keys.getPublic());
            signature.update((parts[0] + '.' + parts[1]).getBytes(StandardCharsets.US_ASCII));
            return signature.verify(Base64.getUrlDecoder().decode(parts[2]))
                    ? Optional.of(Json.parseObject(Base64.getUrlDecoder().decode(parts[1])))
                    : Optional.empty();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
