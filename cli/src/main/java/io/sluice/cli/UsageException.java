package io.sluice.cli;

/** What was asked for cannot be meant; nothing was done. */
final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
