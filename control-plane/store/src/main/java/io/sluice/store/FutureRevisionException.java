package io.sluice.store;

/** The revision asked for has not happened yet. */
public final class FutureRevisionException extends StoreException {
    private static final long serialVersionUID = 1L;

    public FutureRevisionException(String message) {
        super(message);
    }
}
