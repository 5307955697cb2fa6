package io.sluice.api.client;

import io.sluice.api.meta.NamespacedName;

/**
 * Receives one collection, first as it is, then as it changes. All calls come in order from one thread at a time, the watch's
 * own; a listener that blocks holds up only its watch.
 */
public interface WatchListener<T> {

    /** An object was added or changed. A relist repeats only objects whose resourceVersion changed. */
    void onUpsert(T object);

    /** An object is gone, or no longer matches the selectors. */
    void onDelete(NamespacedName name);

    /** All objects of a list were delivered: once at the start, and again after each relist. */
    void onSynced();

    /**
     * The watch is in trouble and goes on by itself: it says what was tried, what was found and what follows. Also called for an
     * object that could not be decoded and was passed over.
     */
    void onProblem(String problem);
}
