package io.sluice.endpoints;

import io.sluice.api.model.Endpoint;
import io.sluice.endpoints.LeftOut.Reason;

/**
 * One address and port that a Service port's slices name, with the endpoint that speaks for it.
 *
 * @param text {@code address:port}: what candidates are sorted by
 */
record Candidate(Backend backend, Endpoint endpoint, String text) {

    boolean ready() {
        return endpoint.ready();
    }

    /** Whether it may stand in when nothing is ready. */
    boolean standIn() {
        return endpoint.serving() && endpoint.terminating();
    }

    boolean local() {
        return backend.local();
    }

    /** Whether flows that it has may stay. */
    boolean keepsFlows() {
        return endpoint.serving() || endpoint.ready();
    }

    LeftOut leftOut(Reason reason, String detail) {
        return new LeftOut(
                backend.address(),
                backend.port(),
                endpoint.nodeName(),
                endpoint.target(),
                reason,
                detail);
    }
}
