package io.sluice.api.client;

import java.io.IOException;

/** The server answered, and refused. */
public final class ApiStatusException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String reason;
    private final long retryAfterSeconds;

    /**
     * @param reason of the Status; empty where the answer was none
     * @param retryAfterSeconds 0 where the server did not say
     */
    public ApiStatusException(int code, String reason, String message, long retryAfterSeconds) {
        super(message);
        this.code = code;
        this.reason = reason;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /** HTTP status code. */
    public int code() {
        return code;
    }

    public String reason() {
        return reason;
    }

    public long retryAfterSeconds() {
        return retryAfterSeconds;
    }

    public boolean isNotFound() {
        return code == 404;
    }

    public boolean isConflict() {
        return code == 409 && reason.equals("Conflict");
    }

    public boolean isAlreadyExists() {
        return code == 409 && reason.equals("AlreadyExists");
    }

    /** The history asked for is no longer held: list again. */
    public boolean isGone() {
        return code == 410;
    }
}
