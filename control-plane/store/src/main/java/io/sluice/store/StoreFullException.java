package io.sluice.store;

/** There is no room for the write; reads go on, and writes succeed again by themselves once there is room. */
public final class StoreFullException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreFullException(String message) {
        super(message);
    }

    public StoreFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
