package io.sluice.api.object;

import java.io.IOException;

/** The text is no YAML we take; the message names line and column where it can. */
public final class YamlException extends IOException {
    private static final long serialVersionUID = 1L;

    public YamlException(String message) {
        super(message);
    }

    public YamlException(String message, Throwable cause) {
        super(message, cause);
    }
}
