package io.sluice.dataplane.conductor;

import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServiceTracker;

import java.util.ArrayList;
import java.util.List;

/** A listener that remembers. Guarded by itself. */
final class Heard implements SyncListener {
    private final List<List<String>> syncs = new ArrayList<>();
    private final List<Long> triggerTimes = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private List<String> unheard = List.of();
    private int queued;

    /** What the next calls say they could not do. */
    synchronized void answer(List<String> problems) {
        unheard = problems;
    }

    @Override
    public synchronized void onQueued(ServiceTracker.Counts counts) {
        queued++;
    }

    @Override
    public synchronized List<String> onSynced(
            ProxyDelta delta, List<String> problems, long nanos, ServiceTracker.Counts counts) {
        syncs.add(problems);
        triggerTimes.addAll(delta.triggerTimes());
        return unheard;
    }

    @Override
    public synchronized void onFailed(String problem) {
        failures.add(problem);
    }

    synchronized List<List<String>> syncs() {
        return List.copyOf(syncs);
    }

    synchronized List<Long> triggerTimes() {
        return List.copyOf(triggerTimes);
    }

    synchronized List<String> failures() {
        return List.copyOf(failures);
    }

    synchronized int queued() {
        return queued;
    }
}
