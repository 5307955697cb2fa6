package io.sluice.store;

/** More writers wait than the store lets wait; nothing changed, try again later. */
public final class StoreBusyException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreBusyException(String message) {
        super(message);
    }
}
