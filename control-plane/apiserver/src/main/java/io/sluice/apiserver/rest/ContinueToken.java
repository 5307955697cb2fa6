package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.registry.Statuses;

import java.io.IOException;
import java.util.Base64;

/**
 * Where a list goes on. Pure.
 *
 * @param revision of the first page, which all others show too; negative for "whatever is newest"
 * @param after the last key that was returned, without the storage prefix
 */
public record ContinueToken(long revision, String after) {
    private static final String VERSION = "meta.k8s.io/v1";
    static final long NEWEST = -1;

    public String encode() {
        ObjectNode out =
                Json.object().put("v", VERSION).put("rv", revision).put("start", after + '\0');
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(out));
    }

    /** @throws io.sluice.apiserver.registry.ApiException 400 if it is none of ours */
    public static ContinueToken decode(String text) {
        try {
            ObjectNode fields = Json.parseObject(Base64.getUrlDecoder().decode(text));
            String start = fields.path("start").asText();
            long revision = fields.path("rv").asLong();
            boolean valid = fields.path("v").asText().equals(VERSION)
                    && revision != 0
                    && start.endsWith("\0")
                    && !start.contains("../")
                    && !start.startsWith("/");
            if (valid) {
                return new ContinueToken(revision, start.substring(0, start.length() - 1));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw Statuses.badRequest("continue key is not valid: " + e.getMessage());
        }
        throw Statuses.badRequest(
                "continue key is not valid: incorrect encoded start resourceVersion or key");
    }
}
