package io.sluice.apiserver.http;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** What all connections share. @param workers gives each request a virtual thread */
record ServerParts(
        HttpLimits limits,
        HttpCounters counters,
        HttpHandler handler,
        Executor workers,
        AtomicBoolean closingFlag) {

    /** Answers end their connections from now on. */
    boolean closing() {
        return closingFlag.get();
    }
}
