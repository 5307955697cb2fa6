package io.sluice.api.selector;

/** A selector's text is wrong; the message says where and what was expected. */
public final class SelectorException extends Exception {
    private static final long serialVersionUID = 1L;

    public SelectorException(String message) {
        super(message);
    }
}
