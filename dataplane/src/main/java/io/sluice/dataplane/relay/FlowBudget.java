package io.sluice.dataplane.relay;

import java.util.concurrent.atomic.AtomicInteger;

/** How many UDP flows there may be in all, so that they leave descriptors for connections. Thread-safe. */
final class FlowBudget {
    private final AtomicInteger open = new AtomicInteger();
    private final int most;
    private final Exhaustion exhaustion;

    FlowBudget(int most, Exhaustion exhaustion) {
        this.most = most;
        this.exhaustion = exhaustion;
    }

    boolean hasRoom() {
        return open.get() < most;
    }

    void take() {
        open.incrementAndGet();
    }

    void give() {
        open.decrementAndGet();
    }

    /** There was no descriptor for a flow. */
    void exhausted() {
        exhaustion.met();
    }
}
