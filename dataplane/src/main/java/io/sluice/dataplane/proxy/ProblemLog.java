package io.sluice.dataplane.proxy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Logs troubles that come again and again: each kind at once when it is new, then after a minute, two
 * minutes, four, up to an hour, with how often it was met since. Numbers in a text do not make it
 * another kind. Thread-safe.
 */
final class ProblemLog {
    private static final int MOST_KINDS = 256;
    private static final long FIRST_QUIET = Duration.ofMinutes(1).toNanos();
    private static final long MOST_QUIET = Duration.ofHours(1).toNanos();

    private final Consumer<String> log;
    private final LongSupplier nanoTime;
    private final Map<String, Kind> kinds = new LinkedHashMap<>(16, 0.75f, true);

    /** @param silent how often it was not logged since {@code loggedAt} */
    private record Kind(long loggedAt, long quiet, long silent) {}

    ProblemLog(Consumer<String> log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    synchronized void warn(String problem) {
        long now = nanoTime.getAsLong();
        String name = problem.replaceAll("[0-9]+", "#");
        Kind kind = kinds.get(name);
        if (kind == null || now - kind.loggedAt() > kind.quiet() + MOST_QUIET) {
            log.accept(problem);
            kinds.put(name, new Kind(now, FIRST_QUIET, 0));
            if (kinds.size() > MOST_KINDS) {
                kinds.remove(kinds.keySet().iterator().next());
            }
        } else if (now - kind.loggedAt() >= kind.quiet()) {
            log.accept(problem + " (" + kind.silent() + " more times since this was logged last)");
            kinds.put(name, new Kind(now, Math.min(kind.quiet() * 2, MOST_QUIET), 0));
        } else {
            kinds.put(name, new Kind(kind.loggedAt(), kind.quiet(), kind.silent() + 1));
        }
    }
}
