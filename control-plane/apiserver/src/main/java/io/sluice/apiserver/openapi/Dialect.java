package io.sluice.apiserver.openapi;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

/** What differs between the two versions of OpenAPI. */
enum Dialect {
    V2("#/definitions/"),
    V3("#/components/schemas/");

    private final String prefix;

    Dialect(String prefix) {
        this.prefix = prefix;
    }

    ObjectNode reference(String definition) {
        return Json.object().put("$ref", prefix + definition);
    }

    /** A reference that other keywords may stand beside. */
    ObjectNode referenceBesideOthers(String definition) {
        return switch (this) {
            case V2 -> reference(definition);
            case V3 -> {
                ObjectNode out = Json.object();
                out.putArray("allOf").add(reference(definition));
                yield out;
            }
        };
    }
}
