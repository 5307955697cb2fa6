package io.sluice.cli.lab;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * When each endpoint was allowed to receive: from the moment somebody asked for it, until the proxy said that it knows better. Thread-safe.
 */
public final class ReadyWindows {
    private static final long OPEN = Long.MAX_VALUE;

    private final Map<String, List<Window>> windows = new HashMap<>();

    private record Window(long from, long to) {}

    /** These may receive, from now on. */
    public synchronized void open(Set<String> names, long now) {
        for (String name : names) {
            List<Window> known = windows.computeIfAbsent(name, _ -> new ArrayList<>());
            if (known.isEmpty() || known.getLast().to() != OPEN) {
                known.add(new Window(now, OPEN));
            }
        }
    }

    /** All but these may not, from now on. */
    public synchronized void closeAllBut(Set<String> names, long now) {
        windows.forEach((name, known) -> {
            if (!names.contains(name) && known.getLast().to() == OPEN) {
                known.add(new Window(known.removeLast().from(), now));
            }
        });
    }

    /** Whether a connection that was asked for and answered within this time may have come there. */
    public synchronized boolean allows(String name, long from, long to) {
        return windows.getOrDefault(name, List.of()).stream()
                .anyMatch(window -> window.from() <= to && from <= window.to());
    }
}
