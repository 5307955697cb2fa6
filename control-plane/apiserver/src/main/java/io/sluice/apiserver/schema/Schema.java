package io.sluice.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a JSON value may look like. Immutable once a {@link SchemaLibrary} gave it out.
 *
 * <p>The shapes below are exhaustive, so that every use is a {@code switch} without {@code default}.
 */
public sealed interface Schema {

    /**
     * An object with known fields.
     *
     * @param definition the API's name of the type, for OpenAPI: {@code io.k8s.api.core.v1.ServiceSpec}
     * @param atomic server-side apply owns it as a whole
     */
    record Struct(String definition, Map<String, Field> fields, boolean atomic) implements Schema {
        /** The type's short name, as Go has it: {@code ServiceSpec}. */
        public String name() {
            return definition.substring(definition.lastIndexOf('.') + 1);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Struct struct && definition.equals(struct.definition);
        }

        @Override
        public int hashCode() {
            return definition.hashCode();
        }

        @Override
        public String toString() {
            return definition;
        }
    }

    /** An object with free keys, all values alike: labels, annotations, limits. */
    record Dictionary(Schema values, boolean atomic) implements Schema {}

    /**
     * An array.
     *
     * @param mergeKey strategic merge by this key; empty: none
     * @param mapKeys server-side apply's keys where the list is a map; empty: not a map
     */
    record Array(Schema items, ListType type, String mergeKey, List<String> mapKeys)
            implements Schema {}

    /** What server-side apply may do with a list. */
    enum ListType {
        ATOMIC,
        SET,
        MAP
    }

    /** A single value. @param enumeration texts the API knows, for documentation; empty: any */
    record Scalar(ScalarType type, List<String> enumeration) implements Schema {}

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
    record Any() implements Schema {}

    /**
     * One field of a struct.
     *
     * @param required documented as required; the kind's validation says what happens without it
     * @param defaultValue filled in where the field is absent
     * @param zeroIsAbsent {@code false} and 0 mean the same as no field, and are not stored
     * @param patchStrategy the API's words: {@code merge}, {@code replace}, {@code retainKeys}, also joined by commas; mostly empty
     */
    record Field(
            Schema schema,
            boolean required,
            Optional<JsonNode> defaultValue,
            boolean zeroIsAbsent,
            String patchStrategy) {
        public boolean merges() {
            return patchStrategy.contains("merge");
        }

        public boolean retainsKeys() {
            return patchStrategy.contains("retainKeys");
        }
    }
}
