package io.sluice.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes down what a watch says, one line for each transaction. */
public final class RecordingSink implements StoreWatch.Sink {
    private final List<String> lines = new ArrayList<>();
    private Optional<String> end = Optional.empty();

    @Override
    public synchronized void onEvents(long revision, List<Store.Event> events) {
        lines.add(line(revision, events));
    }

    public static String line(long revision, List<Store.Event> events) {
        StringBuilder line = new StringBuilder().append(revision).append(':');
        for (Store.Event event : events) {
            String value = event.value().map(v -> new String(v, UTF_8)).orElse("deleted");
            line.append(' ').append(event.key()).append('=').append(value);
            event.previous().ifPresent(previous -> line.append(" was ").append(describe(previous)));
        }
        return line.toString();
    }

    /** An entry as value@created/modified. */
    public static String describe(Store.Entry entry) {
        return new String(entry.value(), UTF_8) + "@" + entry.createRevision() + "/"
                + entry.modRevision();
    }

    @Override
    public synchronized void onEnd(String why) {
        end = Optional.of(why);
    }

    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    public synchronized Optional<String> end() {
        return end;
    }
}
