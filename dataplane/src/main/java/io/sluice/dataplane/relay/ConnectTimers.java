package io.sluice.dataplane.relay;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Ends connects that take too long. Two time-outs only, so two queues in order of time replace a timer per connection. State, owned by
 * its loop.
 */
final class ConnectTimers {
    /** While another endpoint could be asked: a lost SYN is repeated after one second, so waiting longer gains little. */
    static final long SHORT_NANOS = 1_000_000_000L;
    /** For the last one: a lost SYN may be repeated twice. */
    static final long LONG_NANOS = 5_000_000_000L;

    private static final long TICK_MS = 100;

    /** With the time of each attempt's end. */
    private final Map<TcpRelay, Long> quick = new LinkedHashMap<>();

    private final Map<TcpRelay, Long> patient = new LinkedHashMap<>();
    private final RelayLoop loop;
    private boolean ticking;

    ConnectTimers(RelayLoop loop) {
        this.loop = loop;
    }

    /** @param last nobody else could be asked */
    void start(TcpRelay relay, boolean last) {
        long wait = last ? LONG_NANOS : SHORT_NANOS;
        (last ? patient : quick).put(relay, System.nanoTime() + wait);
        if (!ticking) {
            ticking = true;
            loop.schedule(this::tick, TICK_MS);
        }
    }

    void stop(TcpRelay relay) {
        if (patient.remove(relay) == null) {
            quick.remove(relay);
        }
    }

    private void tick() {
        long now = System.nanoTime();
        expire(quick, now);
        expire(patient, now);
        ticking = !quick.isEmpty() || !patient.isEmpty();
        if (ticking) {
            loop.schedule(this::tick, TICK_MS);
        }
    }

    private static void expire(Map<TcpRelay, Long> queue, long now) {
        while (!queue.isEmpty()) {
            Iterator<Map.Entry<TcpRelay, Long>> entries = queue.entrySet().iterator();
            Map.Entry<TcpRelay, Long> oldest = entries.next();
            if (oldest.getValue() - now > 0) {
                return;
            }
            TcpRelay relay = oldest.getKey();
            entries.remove();
            relay.onConnectFailure(); // may start anew
        }
    }
}
