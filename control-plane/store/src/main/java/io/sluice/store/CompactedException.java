package io.sluice.store;

/** The revision asked for is no longer held. */
public final class CompactedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public CompactedException(String message) {
        super(message);
    }

    public CompactedException(String message, Throwable cause) {
        super(message, cause);
    }
}
