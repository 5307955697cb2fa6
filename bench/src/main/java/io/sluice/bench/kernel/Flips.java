package io.sluice.bench.kernel;

import java.io.IOException;
import java.util.Arrays;

/**
 * Turns a Service from one of two servers to the other and back, and takes the time from before the change is asked for until a new
 * connection reaches the other; connections are tried one after another all the time.
 */
final class Flips {
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final int TIMEOUT_MS = 5_000;

    /** Makes one of the two, 0 or 1, the only endpoint. */
    interface Turn {
        void to(int ready) throws Exception;
    }

    /** @param failed connections that nobody answered, or that the former server took after the new one had answered */
    record Result(double p50Ms, double p99Ms, int failed) {}

    private Flips() {}

    /** @param names of the two servers; the first is ready now */
    static Result run(String address, int port, char[] names, int count, Turn turn)
            throws Exception {
        double[] millis = new double[count];
        int failed = 0;
        for (int i = 0; i < count; i++) {
            int next = (i + 1) % 2;
            long begin = System.nanoTime();
            Change change = new Change(turn, next);
            change.thread.start();
            char answer = NamedServer.ask(address, port, TIMEOUT_MS);
            while (answer != names[next]) {
                failed += answer == 0 ? 1 : 0;
                if (System.nanoTime() - begin > PATIENCE_NANOS) {
                    throw new IOException("flip " + i + ": no connection to " + address + ':' + port
                            + " reached server '" + names[next] + "'");
                }
                answer = NamedServer.ask(address, port, TIMEOUT_MS);
            }
            millis[i] = (System.nanoTime() - begin) / 1e6;
            change.join();
            for (int again = 0; again < 3; again++) {
                failed += NamedServer.ask(address, port, TIMEOUT_MS) == names[next] ? 0 : 1;
            }
        }
        Arrays.sort(millis);
        return new Result(millis[count / 2], millis[Math.min(count - 1, count * 99 / 100)], failed);
    }

    /** A change on its own thread. */
    private static final class Change {
        private final Thread thread;
        private Exception failure;

        Change(Turn turn, int ready) {
            thread = Thread.ofPlatform().unstarted(() -> {
                try {
                    turn.to(ready);
                } catch (Exception e) {
                    failure = e;
                }
            });
        }

        void join() throws Exception {
            thread.join();
            if (failure != null) {
                throw failure;
            }
        }
    }
}
