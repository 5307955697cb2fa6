package io.sluice.apiserver.schema;

/** A body that is no object of its kind; the message is for the client, in the words of a 400 answer. */
public final class DecodeException extends Exception {
    private static final long serialVersionUID = 1L;

    public DecodeException(String message) {
        super(message);
    }
}
