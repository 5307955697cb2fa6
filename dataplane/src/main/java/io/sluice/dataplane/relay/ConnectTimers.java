package io.sluice.dataplane.relay;

import java.util.ArrayDeque;
import java.util.Deque;

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

    private final Deque<Attempt> quick = new ArrayDeque<>();
    private final Deque<Attempt> patient = new ArrayDeque<>();
    private final RelayLoop loop;
    private boolean ticking;

    private record Attempt(TcpRelay relay, int number, long deadline) {}

    ConnectTimers(RelayLoop loop) {
        this.loop = loop;
    }

    void start(TcpRelay relay, int number, boolean last) {
        long wait = last ? LONG_NANOS : SHORT_NANOS;
        (last ? patient : quick).add(new Attempt(relay, number, System.nanoTime() + wait));
        if (!ticking) {
            ticking = true;
            loop.schedule(this::tick, TICK_MS);
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

    private static void expire(Deque<Attempt> queue, long now) {
        while (!queue.isEmpty()) {
            Attempt head = queue.peek();
            boolean over = !head.relay().isConnecting(head.number());
            if (!over && head.deadline() - now > 0) {
                return;
            }
            queue.poll();
            if (!over) {
                head.relay().onConnectTimeout(head.number());
            }
        }
    }
}
