package io.sluice.dataplane.conductor;

import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServiceTracker;

import java.util.List;

/** Hears what the conductor does; called on its thread. */
public interface SyncListener {

    /** Changes wait for a sync. */
    void onQueued(ServiceTracker.Counts counts);

    /**
     * The applier took a delta in.
     *
     * @param delta what it brought in force
     * @param problems what is not in place all the same; empty after a full success
     * @param nanos how long it took
     * @return what the listener could not do; tried again with the next sync, which follows soon
     */
    List<String> onSynced(
            ProxyDelta delta, List<String> problems, long nanos, ServiceTracker.Counts counts);

    /** The applier failed inside; a sync of everything follows. */
    void onFailed(String problem);
}
