package io.sluice.apiserver.watchcache;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An object's bytes as the store keeps them: without a resource version, which is the revision of the key. The version is put into
 * the bytes where they leave, without a tree. Pure.
 */
public final class StoredJson {
    private StoredJson() {}

    /** Kind and metadata come first, so that a reader finds them early. */
    public static byte[] encode(ObjectNode object) {
        ObjectNode out = Json.object();
        out.set("kind", object.path("kind"));
        out.set("apiVersion", object.path("apiVersion"));
        ObjectNode metadata = KubeObject.of(object).metadata().deepCopy();
        metadata.remove("resourceVersion");
        out.set("metadata", metadata);
        object.properties().forEach(entry -> out.putIfAbsent(entry.getKey(), entry.getValue()));
        return Json.bytes(out);
    }

    /** The object with its version. */
    public static ObjectNode decode(byte[] stored, long revision) throws IOException {
        ObjectNode out = Json.parseObject(stored);
        KubeObject.of(out).metadataForUpdate().put("resourceVersion", Long.toString(revision));
        return out;
    }

    /** The bytes with the version as the first field of the metadata; as they are where there is no metadata. */
    public static byte[] withVersion(byte[] stored, long revision) throws IOException {
        Place place = place(stored);
        int at = place.offset();
        if (at < 0) {
            return stored;
        }
        byte[] field = ("\"resourceVersion\":\"" + revision + (place.empty() ? "\"" : "\","))
                .getBytes(StandardCharsets.US_ASCII);
        byte[] out = Arrays.copyOf(stored, stored.length + field.length);
        System.arraycopy(field, 0, out, at, field.length);
        System.arraycopy(stored, at, out, at + field.length, stored.length - at);
        return out;
    }

    /** Where the metadata's fields begin; a negative offset where there is no metadata. */
    private record Place(int offset, boolean empty) {}

    private static Place place(byte[] stored) throws IOException {
        try (JsonParser parser = Json.parser(stored)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean metadata = parser.currentName().equals("metadata");
                JsonToken value = parser.nextToken();
                if (metadata && value == JsonToken.START_OBJECT) {
                    int offset = (int) parser.currentTokenLocation().getByteOffset() + 1;
                    return new Place(offset, parser.nextToken() == JsonToken.END_OBJECT);
                }
                parser.skipChildren();
            }
            return new Place(-1, true);
        }
    }
}
