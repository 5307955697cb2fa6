package io.sluice.apiserver.patch;

/** A patch that is none, or does not apply; the message is for the client. */
public final class PatchException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int code;

    public PatchException(int code, String message) {
        super(message);
        this.code = code;
    }

    /** HTTP status: 400 for what is no patch, 413 for one too large, 415 for a kind of patch not served, 422 where it does not apply. */
    public int code() {
        return code;
    }

    static PatchException malformed(String message) {
        return new PatchException(400, message);
    }

    static PatchException inapplicable(String message) {
        return new PatchException(422, message);
    }

    /** The answer to server-side apply, which is not served yet. */
    public static PatchException applyNotServed() {
        return new PatchException(
                415,
                "the body of the request was in an unknown format - accepted media types include: application/json-patch+json,"
                        + " application/merge-patch+json, application/strategic-merge-patch+json (server-side apply is not"
                        + " supported by this server yet; use client-side apply)");
    }
}
