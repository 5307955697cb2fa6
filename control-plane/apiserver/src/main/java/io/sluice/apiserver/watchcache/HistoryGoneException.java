package io.sluice.apiserver.watchcache;

/** Changes after the revision asked for are no longer held. */
public final class HistoryGoneException extends Exception {
    private static final long serialVersionUID = 1L;

    HistoryGoneException(long asked, long oldest) {
        super("too old resource version: " + asked + " (" + oldest + ")");
    }
}
