package io.sluice.apiserver.rest;

/** What an answer with objects looks like. */
public sealed interface Format {

    /** The objects themselves. */
    record Plain() implements Format {}

    /** Rows and columns. @param version {@code v1} or {@code v1beta1} of meta.k8s.io */
    record Table(String version) implements Format {}

    /** Their metadata alone. @param list the client asked for the list type */
    record MetadataOnly(String version, boolean list) implements Format {}

    Plain PLAIN = new Plain();

    /** As the answer's content type says. */
    default String contentType() {
        return switch (this) {
            case Plain _ -> "application/json";
            case Table table -> "application/json;as=Table;v=" + table.version() + ";g=meta.k8s.io";
            case MetadataOnly metadata ->
                "application/json;as=PartialObjectMetadata" + (metadata.list() ? "List" : "")
                        + ";v=" + metadata.version() + ";g=meta.k8s.io";
        };
    }
}
