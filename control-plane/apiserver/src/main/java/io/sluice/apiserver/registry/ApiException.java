package io.sluice.apiserver.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A refusal: the typed answer a client gets instead of its object. Carries a whole {@code Status}; never a fault of ours. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final transient ObjectNode status;

    /** @param status a complete v1 Status object with this code */
    public ApiException(int code, String message, ObjectNode status) {
        super(message, null, false, false);
        this.code = code;
        this.status = status;
    }

    /** HTTP status code. */
    public int code() {
        return code;
    }

    public ObjectNode status() {
        return status;
    }
}
