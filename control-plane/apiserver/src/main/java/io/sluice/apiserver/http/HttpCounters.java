package io.sluice.apiserver.http;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What the server counts of its connections; shared by all of them. */
public final class HttpCounters {
    final AtomicInteger connections = new AtomicInteger();
    final AtomicLong connectionsRefused = new AtomicLong();
    final AtomicLong handshakesFailed = new AtomicLong();
    final AtomicLong requestsTimedOut = new AtomicLong();
    final AtomicLong bodyBytes = new AtomicLong();

    public int connections() {
        return connections.get();
    }

    public long connectionsRefused() {
        return connectionsRefused.get();
    }

    public long handshakesFailed() {
        return handshakesFailed.get();
    }

    public long requestsTimedOut() {
        return requestsTimedOut.get();
    }

    /** Bytes of request bodies held now. */
    public long bodyBytes() {
        return bodyBytes.get();
    }
}
