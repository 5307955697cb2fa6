package io.sluice.dataplane.relay;

import java.util.concurrent.atomic.LongAdder;

/** What happened at one Service port since the proxy started. Thread-safe. */
public final class ServiceCounters {
    /** Connections accepted, and UDP flows begun. */
    public final LongAdder connections = new LongAdder();
    /** Of those, still open. */
    public final LongAdder open = new LongAdder();
    /** Bytes from clients. */
    public final LongAdder bytesIn = new LongAdder();
    /** Bytes to clients. */
    public final LongAdder bytesOut = new LongAdder();
    /** Connects to an endpoint that failed and were tried on another. */
    public final LongAdder retried = new LongAdder();
    /** Connections that no endpoint took. */
    public final LongAdder refused = new LongAdder();
    /** Datagrams and connections dropped by policy or because a table was full. */
    public final LongAdder dropped = new LongAdder();
}
