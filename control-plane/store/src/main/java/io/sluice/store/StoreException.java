package io.sluice.store;

/** The store could not do what was asked; the message says what was tried, on which file, and what follows. */
public class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
