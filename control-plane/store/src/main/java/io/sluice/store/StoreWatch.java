package io.sluice.store;

import java.util.List;

/** A running watch; closing it stops delivery. */
public interface StoreWatch extends AutoCloseable {

    @Override
    void close();

    /** Where events go. Called from one thread at a time; must not block, and must not call back into the store's commit. */
    interface Sink {
        /** All events of one transaction under the prefix, in operation order. */
        void onEvents(long revision, List<Store.Event> events);

        /** The watch ended: the consumer was too slow, or the store closes. It must watch again from its last revision. */
        void onEnd(String why);
    }
}
