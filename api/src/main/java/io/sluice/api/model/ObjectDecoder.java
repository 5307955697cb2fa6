package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Turns one JSON object into a value by streaming. Used by one thread at a time. */
public interface ObjectDecoder<T> {

    /**
     * Reads the object at which the parser stands, and leaves the parser at its end.
     *
     * @param problems learns of values that were passed over, each with object and field
     * @return empty where the value is no object of this kind; then a problem was reported
     * @throws IOException if the text is no JSON; the parser cannot go on
     */
    Optional<Decoded<T>> decode(JsonParser parser, Consumer<String> problems) throws IOException;
}
