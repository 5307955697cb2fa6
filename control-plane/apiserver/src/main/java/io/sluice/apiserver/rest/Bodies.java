package io.sluice.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.protobuf.ProtobufCodec;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.schema.DecodeException;
import io.sluice.apiserver.schema.ObjectCodec;
import io.sluice.apiserver.schema.Schema;
import io.sluice.apiserver.schema.SchemaDefaults;
import io.sluice.apiserver.schema.SchemaLibrary;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** From request bodies to objects with known fields only, defaults filled in. Pure. */
final class Bodies {
    static final List<String> CONSUMED =
            List.of("application/json", "application/yaml", "application/vnd.kubernetes.protobuf");

    private Bodies() {}

    /** Languages of a body. */
    private enum Language {
        JSON,
        YAML,
        PROTOBUF
    }

    /**
     * An object of the kind.
     *
     * @param warnings learns of unknown and duplicate fields where the client wants to be warned
     * @throws io.sluice.apiserver.registry.ApiException 400 or 415
     */
    static ObjectNode object(
            Kind kind,
            String contentType,
            byte[] body,
            WriteOptions options,
            Consumer<String> warnings) {
        try {
            ObjectCodec.Decoded decoded = switch (language(contentType)) {
                case JSON -> ObjectCodec.decodeJson(body, schema(kind));
                case YAML -> ObjectCodec.decodeYaml(body, schema(kind));
                case PROTOBUF ->
                    ObjectCodec.check(
                            ProtobufCodec.decode(body, schema(kind)), List.of(), schema(kind));
            };
            return checked(kind, decoded, options, warnings);
        } catch (DecodeException e) {
            throw Statuses.badRequest(prefix(kind) + e.getMessage());
        }
    }

    /** As above, from a tree that a patch made. */
    static ObjectNode patched(
            Kind kind, ObjectNode tree, WriteOptions options, Consumer<String> warnings) {
        try {
            return checked(
                    kind, ObjectCodec.check(tree, List.of(), schema(kind)), options, warnings);
        } catch (DecodeException e) {
            throw Statuses.badRequest(prefix(kind) + e.getMessage());
        }
    }

    static Schema.Struct schema(Kind kind) {
        return switch (kind.schema()) {
            case Schema.Struct struct -> struct;
            case Schema other ->
                throw new IllegalStateException(
                        "kind " + kind.gvk() + " has the schema " + other + ", which is no struct");
        };
    }

    private static String prefix(Kind kind) {
        return kind.gvk().kind() + " in version \"" + kind.gvk().version()
                + "\" cannot be handled as a " + kind.gvk().kind() + ": ";
    }

    private static ObjectNode checked(
            Kind kind,
            ObjectCodec.Decoded decoded,
            WriteOptions options,
            Consumer<String> warnings) {
        if (!decoded.problems().isEmpty()) {
            switch (options.fieldValidation()) {
                case IGNORE -> {}
                case WARN -> decoded.problems().forEach(warnings);
                case STRICT -> throw Statuses.badRequest(prefix(kind) + decoded.strictError());
            }
        }
        ObjectNode object = decoded.object();
        checkType(kind, object);
        SchemaDefaults.apply(object, schema(kind));
        return object;
    }

    private static void checkType(Kind kind, ObjectNode object) {
        String version = KubeObject.text(object, "apiVersion");
        String name = KubeObject.text(object, "kind");
        if (!version.isEmpty() && !version.equals(kind.gvk().apiVersion())) {
            throw Statuses.badRequest("the API version in the data (" + version
                    + ") does not match the expected API version (" + kind.gvk().apiVersion()
                    + ")");
        }
        if (!name.isEmpty() && !name.equals(kind.gvk().kind())) {
            throw Statuses.badRequest("the object provided is unrecognized: kind \"" + name
                    + "\" was sent where \"" + kind.gvk().kind() + "\" is expected");
        }
        object.put("apiVersion", kind.gvk().apiVersion()).put("kind", kind.gvk().kind());
    }

    /**
     * A body that is no registered kind; an empty object for an empty body. Unknown fields are left out.
     *
     * @param table schema table and
     * @param type the type in it
     */
    static ObjectNode plain(String table, String type, String contentType, byte[] body) {
        if (body.length == 0) {
            return Json.object();
        }
        Schema.Struct schema = SchemaLibrary.shared().struct(table, type);
        try {
            return switch (language(contentType)) {
                case JSON -> ObjectCodec.decodeJson(body, schema).object();
                case YAML -> ObjectCodec.decodeYaml(body, schema).object();
                case PROTOBUF -> ProtobufCodec.decode(body, schema);
            };
        } catch (DecodeException e) {
            throw Statuses.badRequest(
                    "the " + type + " in the body cannot be read: " + firstLine(e.getMessage()));
        }
    }

    static String firstLine(String message) {
        return message == null ? "" : message.lines().findFirst().orElse("");
    }

    private static Language language(String contentType) {
        String type = mediaType(contentType);
        return switch (type) {
            case "", "application/json" -> Language.JSON;
            case "application/yaml", "application/x-yaml", "text/yaml" -> Language.YAML;
            case "application/vnd.kubernetes.protobuf" -> Language.PROTOBUF;
            default -> throw Statuses.unsupportedMediaType(CONSUMED);
        };
    }

    /** Without parameters, in lower case. */
    static String mediaType(String contentType) {
        int semicolon = contentType.indexOf(';');
        return (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
                .trim()
                .toLowerCase(Locale.ROOT);
    }
}
