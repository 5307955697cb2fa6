package io.sluice.apiserver.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Bearer tokens for ServiceAccounts: bound to an account by its uid, and to an audience. Pure. */
public final class ServiceAccountTokens {
    public static final String ISSUER = "https://kubernetes.default.svc.cluster.local";
    private static final String BOUND = "kubernetes.io";

    private final TokenSigner signer;
    private final Accounts accounts;

    /** Tells whether an account still is what it was when the token was made. */
    @FunctionalInterface
    public interface Accounts {
        /** Uid of the account; empty where there is none. */
        Optional<String> uid(NamespacedName account);
    }

    public ServiceAccountTokens(TokenSigner signer, Accounts accounts) {
        this.signer = signer;
        this.accounts = accounts;
    }

    /** @param audiences none means the API server */
    public String issue(
            NamespacedName account,
            String uid,
            List<String> audiences,
            Instant now,
            Duration life,
            UUID tokenId) {
        ObjectNode claims = Json.object();
        List<String> all = audiences.isEmpty() ? List.of(ISSUER) : audiences;
        all.forEach(claims.putArray("aud")::add);
        claims.put("exp", now.plus(life).getEpochSecond());
        claims.put("iat", now.getEpochSecond());
        claims.put("iss", ISSUER);
        claims.put("jti", tokenId.toString());
        ObjectNode bound = claims.putObject(BOUND);
        bound.put("namespace", account.namespace());
        bound.putObject("serviceaccount").put("name", account.name()).put("uid", uid);
        claims.put("nbf", now.getEpochSecond());
        claims.put("sub", user(account));
        return signer.sign(claims);
    }

    /** Empty where the token proves nothing now. */
    public Optional<Identity> identify(String token, Instant now) {
        return signer.read(token).filter(claims -> isValid(claims, now)).flatMap(this::account);
    }

    private static boolean isValid(ObjectNode claims, Instant now) {
        boolean forUs = false;
        for (JsonNode audience : claims.path("aud")) {
            forUs |= audience.asText().equals(ISSUER);
        }
        return forUs
                && claims.path("iss").asText().equals(ISSUER)
                && claims.path("exp").asLong() > now.getEpochSecond()
                && claims.path("nbf").asLong() <= now.getEpochSecond();
    }

    private Optional<Identity> account(ObjectNode claims) {
        JsonNode bound = claims.path(BOUND);
        JsonNode owner = bound.path("serviceaccount");
        NamespacedName account = new NamespacedName(
                bound.path("namespace").asText(), owner.path("name").asText());
        String uid = owner.path("uid").asText();
        if (uid.isEmpty() || !accounts.uid(account).equals(Optional.of(uid))) {
            return Optional.empty();
        }
        return Optional.of(new Identity(
                user(account),
                uid,
                List.of(
                        "system:serviceaccounts",
                        "system:serviceaccounts:" + account.namespace(),
                        Identity.AUTHENTICATED)));
    }

    private static String user(NamespacedName account) {
        return "system:serviceaccount:" + account.namespace() + ':' + account.name();
    }
}
