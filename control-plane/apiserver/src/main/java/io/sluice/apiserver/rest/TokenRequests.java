package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.auth.ServiceAccountTokens;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;
import io.sluice.apiserver.registry.Statuses;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;

/** {@code serviceaccounts/NAME/token}: bearer tokens for a ServiceAccount. */
public final class TokenRequests {
    private static final long DEFAULT_SECONDS = 3600;
    private static final long MIN_SECONDS = 600;
    private static final long MAX_SECONDS = Duration.ofDays(365).toSeconds();

    private final Reader reader;
    private final Kind accounts;
    private final ServiceAccountTokens tokens;
    private final InstantSource clock;

    public TokenRequests(
            Reader reader, Registry registry, ServiceAccountTokens tokens, InstantSource clock) {
        this.reader = reader;
        this.accounts = registry.require("", "v1", "serviceaccounts");
        this.tokens = tokens;
        this.clock = clock;
    }

    static boolean isMeant(ApiPath.OfResource path) {
        return path.resource().resource().equals("serviceaccounts")
                && path.resource().group().isEmpty()
                && path.subresource().equals("token");
    }

    ObjectNode answer(ApiPath.OfResource path, String verb, String contentType, byte[] body) {
        if (!verb.equals("create")) {
            throw Statuses.methodNotAllowed();
        }
        ObjectNode request = Bodies.plain("authentication-v1", "TokenRequest", contentType, body);
        ObjectNode account = reader.get(
                        accounts, path.namespace(), path.name(), OptionalLong.empty())
                .tree();
        JsonNode spec = request.path("spec");
        long seconds = spec.path("expirationSeconds").asLong(DEFAULT_SECONDS);
        if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) {
            throw Statuses.badRequest("spec.expirationSeconds: Invalid value: " + seconds
                    + ": must be between " + MIN_SECONDS + " and " + MAX_SECONDS + " seconds");
        }
        List<String> audiences = new ArrayList<>();
        spec.path("audiences").forEach(audience -> audiences.add(audience.asText()));
        Instant now = clock.instant();
        String token = tokens.issue(
                new NamespacedName(path.namespace(), path.name()),
                KubeObject.of(account).uid(),
                audiences,
                now,
                Duration.ofSeconds(seconds),
                UUID.randomUUID());
        ObjectNode out = request.deepCopy()
                .put("kind", "TokenRequest")
                .put("apiVersion", "authentication.k8s.io/v1");
        ObjectNode metadata = KubeObject.of(out).metadataForUpdate();
        metadata.put("name", path.name()).put("namespace", path.namespace());
        KubeObject.child(out, "spec").put("expirationSeconds", seconds);
        out.putObject("status")
                .put("token", token)
                .put("expirationTimestamp", Rfc3339.seconds(now.plusSeconds(seconds)));
        return out;
    }
}
