package io.sluice.dataplane.config;

/** The configuration cannot be used; the message names flag or field, value and what is expected. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
