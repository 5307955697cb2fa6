package io.sluice.dataplane.apply;

import io.sluice.api.net.IpFamily;

/** Hears what a kernel mode did. Called by the thread that did it. */
public interface RuleSyncs {

    /** Wants to know nothing. */
    RuleSyncs UNHEARD = new RuleSyncs() {
        @Override
        public void onSynced(IpFamily family, boolean full, long nanos) {}

        @Override
        public void onFailed(IpFamily family, boolean full) {}

        @Override
        public void onFlowsEnded(IpFamily family, long nanos, int ended) {}
    };

    /** @param full whether everything was written, not what changed alone */
    void onSynced(IpFamily family, boolean full, long nanos);

    void onFailed(IpFamily family, boolean full);

    /** Flows of connection tracking were looked at. */
    void onFlowsEnded(IpFamily family, long nanos, int ended);
}
