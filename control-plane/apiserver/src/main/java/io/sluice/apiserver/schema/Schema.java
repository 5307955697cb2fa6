package io.sluice.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a JSON value may look like. Immutable. Recursive types are {@link Reference}s by name.
 *
 * <p>The shapes below are exhaustive, so that every use is a {@code switch} without {@code default}.
 */
public sealed interface Schema {

    /** For people: {@code kubectl explain} and OpenAPI. Empty where the field's name says it all. */
    String description();

    /** The named definition this schema points to, in the definitions it was built with. */
    record Reference(String definition, String description) implements Schema {}

    /**
     * An object with known fields.
     *
     * @param definition the API's name of the type, for OpenAPI: {@code io.k8s.api.core.v1.ServiceSpec}
     */
    record Struct(String definition, Map<String, Field> fields, String description)
            implements Schema {}

    /** An object with free keys, all values alike: labels, annotations, limits. */
    record Dictionary(Schema values, boolean atomic, String description) implements Schema {}

    /**
     * An array.
     *
     * @param mergeKey strategic merge by this key; empty: none
     * @param mapKeys server-side apply's keys where the list is a map; empty: not a map
     */
    record Array(
            Schema items, ListType type, String mergeKey, List<String> mapKeys, String description)
            implements Schema {}

    /** What server-side apply may do with a list. */
    enum ListType {
        ATOMIC,
        SET,
        MAP
    }

    /** A single value. @param enumeration allowed texts; empty: any */
    record Scalar(ScalarType type, List<String> enumeration, String description)
            implements Schema {}

    /** Scalar types, as the API defines them on the wire. */
    enum ScalarType {
        STRING,
        BOOLEAN,
        INT32,
        INT64,
        DOUBLE,
        QUANTITY,
        INT_OR_STRING,
        TIME,
        MICRO_TIME,
        BYTES
    }

    /** Anything: raw extensions and FieldsV1. */
    record Any(String description) implements Schema {}

    /**
     * One field of a struct.
     *
     * @param defaultValue filled in where the field is absent
     * @param patchStrategy the API's words: {@code merge}, {@code replace}, {@code retainKeys}, also joined by commas; mostly empty
     */
    record Field(
            Schema schema,
            boolean required,
            Optional<JsonNode> defaultValue,
            String patchStrategy) {}
}
