package io.sluice.apiserver.openapi;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.registry.Kind;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The OpenAPI documents of a set of kinds. Each is made when first asked for and kept; when kinds come or go, make a new one of these.
 * Thread-safe.
 */
public final class OpenApi {
    /** The media type of the protobuf form. */
    public static final String PROTOBUF =
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

    /** What an Accept header for it contains; old clients spell the rest with an at sign. */
    public static final String PROTOBUF_FAMILY = "application/com.github.proto-openapi.spec.v2";

    private static final String V2 = "v2";
    private static final String V2_PROTOBUF = "v2 protobuf";

    private final List<Kind> kinds;
    private final String version;
    private final List<String> names;
    private final Map<String, Document> documents = new ConcurrentHashMap<>();

    /**
     * A document.
     *
     * @param bytes JSON, but for the protobuf form of version 2
     * @param hash of the bytes, in upper-case hexadecimal; also good as an ETag
     */
    public record Document(byte[] bytes, String hash) {}

    /** @param version of Kubernetes that is served: {@code v1.36.2} */
    public OpenApi(List<Kind> kinds, String version) {
        this.kinds = List.copyOf(kinds);
        this.version = version;
        this.names = Paths.documents(kinds);
    }

    /** What {@code /openapi/v3} answers: each document's address with its hash. */
    public Document index() {
        return made("", () -> {
            ObjectNode root = Json.object();
            ObjectNode paths = root.putObject("paths");
            for (String name : names) {
                String hash = made(name, () -> version3(name)).hash();
                paths.putObject(name)
                        .put("serverRelativeURL", "/openapi/v3/" + name + "?hash=" + hash);
            }
            return root;
        });
    }

    /** What {@code /openapi/v3/NAME} answers. @param name as in the index: {@code apis/events.k8s.io/v1} */
    public Optional<Document> version3Document(String name) {
        return names.contains(name)
                ? Optional.of(made(name, () -> version3(name)))
                : Optional.empty();
    }

    /** What {@code /openapi/v2} answers. */
    public Document version2Document() {
        return made(V2, this::version2);
    }

    /** As above, as protobuf: what kubectl up to 1.27 insists on. */
    public Document version2Protobuf() {
        Document known = documents.get(V2_PROTOBUF);
        if (known != null) {
            return known;
        }
        Document made = document(ProtobufDocument.encode(version2()));
        documents.put(V2_PROTOBUF, made);
        return made;
    }

    private Document made(String name, Supplier<ObjectNode> maker) {
        // Two threads may make the same document at once; they make the same bytes.
        Document known = documents.get(name);
        if (known != null) {
            return known;
        }
        Document made = document(Json.bytes(maker.get()));
        documents.put(name, made);
        return made;
    }

    private static Document document(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return new Document(bytes, HexFormat.of().formatHex(digest).toUpperCase(Locale.ROOT));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private ObjectNode version3(String name) {
        Definitions definitions = new Definitions(Dialect.V3);
        Paths paths = new Paths(Dialect.V3, definitions);
        for (Kind kind : kinds) {
            if (Paths.document(kind).equals(name)) {
                definitions.addKind(kind);
                paths.addKind(kind);
            }
        }
        ObjectNode root = Json.object();
        root.put("openapi", "3.0.0");
        info(root);
        root.set("paths", paths.toJson());
        root.putObject("components").set("schemas", definitions.toJson());
        return root;
    }

    private ObjectNode version2() {
        Definitions definitions = new Definitions(Dialect.V2);
        Paths paths = new Paths(Dialect.V2, definitions);
        for (Kind kind : kinds) {
            definitions.addKind(kind);
            paths.addKind(kind);
        }
        ObjectNode root = Json.object();
        root.put("swagger", "2.0");
        info(root);
        root.set("paths", paths.toJson());
        root.set("definitions", definitions.toJson());
        return root;
    }

    private void info(ObjectNode root) {
        root.putObject("info").put("title", "Kubernetes").put("version", version);
    }
}
