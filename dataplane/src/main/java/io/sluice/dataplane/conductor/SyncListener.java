package io.sluice.dataplane.conductor;

import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServiceTracker;

import java.util.List;

/** Hears what the conductor does; called on its thread. */
public interface SyncListener {

    /** Changes wait for a sync. */
    void onQueued(ServiceTracker.Counts counts);

    /**
     * A sync ended.
     *
     * @param delta what it brought in force
     * @param problems what is not in place; empty after a success
     * @param nanos how long it took
     */
    void onSynced(
            ProxyDelta delta, List<String> problems, long nanos, ServiceTracker.Counts counts);
}
