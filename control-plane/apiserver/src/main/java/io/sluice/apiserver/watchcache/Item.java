package io.sluice.apiserver.watchcache;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * One object at one revision: its JSON as clients get it, and what selectors look at. Immutable; the bytes are shared.
 *
 * @param fields values of all field selectors the object's kinds know
 */
public record Item(
        String key,
        String namespace,
        String name,
        Map<String, String> labels,
        Map<String, String> fields,
        byte[] json,
        long revision) {

    /** A tree of its own for each caller. */
    public ObjectNode tree() {
        try {
            return Json.parseObject(json);
        } catch (IOException e) {
            throw new UncheckedIOException("stored object " + key + " is no JSON", e);
        }
    }
}
