package io.sluice.apiserver.pki;

import java.io.IOException;

/** Keys or certificates could not be read, made or written; the message names the file and what to do. */
public final class PkiException extends IOException {
    private static final long serialVersionUID = 1L;

    PkiException(String message, Throwable cause) {
        super(message, cause);
    }

    PkiException(String message) {
        super(message);
    }
}
