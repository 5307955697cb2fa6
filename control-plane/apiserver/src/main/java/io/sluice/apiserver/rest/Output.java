package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.watchcache.Item;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Objects as a client wants them. Pure.
 *
 * @param rows what a table's rows carry beside the cells
 */
public record Output(Kind kind, Format format, RowObject rows) {

    /** {@code includeObject}. */
    public enum RowObject {
        NONE,
        METADATA,
        OBJECT
    }

    /** @throws io.sluice.apiserver.registry.ApiException 400 or 406 for what is not served */
    public static Output of(Kind kind, String accept, Query query) {
        RowObject rows = switch (query.text("includeObject")) {
            case "", "Metadata" -> RowObject.METADATA;
            case "None" -> RowObject.NONE;
            case "Object" -> RowObject.OBJECT;
            default ->
                throw Statuses.badRequest(
                        "unrecognized includeObject value: \"" + query.text("includeObject") + '"');
        };
        return new Output(kind, Negotiation.choose(accept), rows);
    }

    /** One object by itself. */
    public byte[] single(Item item, Instant now) {
        return isStoredForm() ? item.json() : single(served(item), now);
    }

    /** As above, from a tree in the kind's own form. */
    public byte[] single(ObjectNode object, Instant now) {
        return switch (format) {
            case Format.Plain _ -> Json.bytes(object);
            case Format.MetadataOnly metadata -> Json.bytes(partial(object, metadata.version()));
            case Format.Table table -> Json.bytes(table(object, table.version(), now, true));
        };
    }

    /** Within a list or a list's table. */
    byte[] element(Item item, Instant now) {
        return switch (format) {
            case Format.Plain _ -> isStoredForm() ? item.json() : Json.bytes(served(item));
            case Format.MetadataOnly metadata ->
                Json.bytes(partial(served(item), metadata.version()));
            case Format.Table table -> Json.bytes(row(served(item), table.version(), now));
        };
    }

    /** Within a watch. @param first the first table of a watch describes its columns, later ones do not */
    byte[] event(Item item, Instant now, boolean first) {
        return format instanceof Format.Table table
                ? Json.bytes(table(served(item), table.version(), now, first))
                : element(item, now);
    }

    private boolean isStoredForm() {
        return format instanceof Format.Plain && kind.convert() == Kind.Conversion.NONE;
    }

    private ObjectNode served(Item item) {
        return kind.convert().fromStored(item.tree());
    }

    /** What a list says before its elements. */
    byte[] listStart(long revision, String token, long remaining) {
        ObjectNode metadata = Json.object().put("resourceVersion", Long.toString(revision));
        if (!token.isEmpty()) {
            metadata.put("continue", token);
            if (remaining > 0) {
                metadata.put("remainingItemCount", remaining);
            }
        }
        ObjectNode head = Json.object();
        switch (format) {
            case Format.Plain _ ->
                head.put("kind", kind.gvk().kind() + "List")
                        .put("apiVersion", kind.gvk().apiVersion());
            case Format.MetadataOnly only ->
                head.put("kind", "PartialObjectMetadataList")
                        .put("apiVersion", "meta.k8s.io/" + only.version());
            case Format.Table table ->
                head.put("kind", "Table").put("apiVersion", "meta.k8s.io/" + table.version());
        }
        head.set("metadata", metadata);
        if (format instanceof Format.Table) {
            head.set("columnDefinitions", columns());
        }
        String text = head.toString();
        String elements = format instanceof Format.Table ? "rows" : "items";
        return (text.substring(0, text.length() - 1) + ",\"" + elements + "\":[")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** A bookmark's object: nothing but a version. @param initialEnd it ends the initial events */
    byte[] bookmark(long revision, boolean initialEnd) {
        ObjectNode out = Json.object();
        switch (format) {
            case Format.Plain _ ->
                out.put("kind", kind.gvk().kind()).put("apiVersion", kind.gvk().apiVersion());
            case Format.MetadataOnly only ->
                out.put("kind", "PartialObjectMetadata")
                        .put("apiVersion", "meta.k8s.io/" + only.version());
            case Format.Table table ->
                out.put("kind", "Table").put("apiVersion", "meta.k8s.io/" + table.version());
        }
        ObjectNode metadata = out.putObject("metadata");
        metadata.put("resourceVersion", Long.toString(revision));
        if (initialEnd) {
            metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        if (format instanceof Format.Table) {
            out.putArray("columnDefinitions");
            out.putArray("rows");
        }
        return Json.bytes(out);
    }

    private ObjectNode table(ObjectNode object, String version, Instant now, boolean columns) {
        ObjectNode out =
                Json.object().put("kind", "Table").put("apiVersion", "meta.k8s.io/" + version);
        out.putObject("metadata").put("resourceVersion", KubeObject.of(object).resourceVersion());
        out.set("columnDefinitions", columns ? columns() : Json.MAPPER.createArrayNode());
        out.putArray("rows").add(row(object, version, now));
        return out;
    }

    private ArrayNode columns() {
        ArrayNode out = Json.MAPPER.createArrayNode();
        for (Column column : kind.columns()) {
            out.addObject()
                    .put("name", column.name())
                    .put("type", column.type())
                    .put("format", column.format())
                    .put("description", column.description())
                    .put("priority", column.priority());
        }
        return out;
    }

    private ObjectNode row(ObjectNode object, String version, Instant now) {
        ObjectNode out = Json.object();
        ArrayNode cells = out.putArray("cells");
        kind.columns().forEach(column -> cells.add(column.cell().of(object, now)));
        switch (rows) {
            case NONE -> {}
            case METADATA -> out.set("object", partial(object, version));
            case OBJECT -> out.set("object", object);
        }
        return out;
    }

    private static ObjectNode partial(ObjectNode object, String version) {
        ObjectNode out = Json.object()
                .put("kind", "PartialObjectMetadata")
                .put("apiVersion", "meta.k8s.io/" + version);
        out.set("metadata", object.path("metadata"));
        return out;
    }
}
