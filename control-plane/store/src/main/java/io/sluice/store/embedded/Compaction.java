package io.sluice.store.embedded;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds, key by key, the versions that nobody may read any more. One step looks at few keys, so that writers between two steps wait
 * little. Used by the committer thread alone.
 */
final class Compaction {
    private static final int KEYS_PER_STEP = 1024;
    private static final int ROWS_PER_STEP = 256;

    private final Iterator<Map.Entry<String, Version>> keys;
    private final long revision;

    /** A key whose history was too long for one step, and is continued in the next. */
    private Optional<Map.Entry<String, Version>> unfinished = Optional.empty();

    Compaction(KeyIndex index, long revision) {
        this.keys = index.all();
        this.revision = revision;
    }

    boolean finished() {
        return unfinished.isEmpty() && !keys.hasNext();
    }

    /** What to remove next. */
    Step next(KeyIndex index) {
        Step step = new Step(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < KEYS_PER_STEP && !finished() && step.rows.size() < ROWS_PER_STEP; i++) {
            String key = unfinished.orElseGet(keys::next).getKey();
            unfinished = Optional.empty();
            Version newest = index.newest(key);
            if (newest != null) {
                collect(key, newest, step);
            }
        }
        return step;
    }

    private void collect(String key, Version newest, Step step) {
        Version kept = newest;
        Version younger = null;
        while (kept != null && kept.revision() > revision) {
            younger = kept;
            kept = kept.previous;
        }
        if (kept == null) {
            return;
        }
        List<Version> gone = new ArrayList<>();
        for (Version old = kept.previous; old != null; old = old.previous) {
            gone.add(old);
        }
        if (gone.size() > ROWS_PER_STEP) { // the oldest first; the rest in the next step
            gone = gone.subList(gone.size() - ROWS_PER_STEP, gone.size());
            unfinished = Optional.of(Map.entry(key, newest));
        } else if (kept.deleted) {
            gone.addFirst(kept);
        }
        if (!gone.isEmpty()) {
            step.rows.addAll(gone);
            step.cuts.add(new Cut(key, newest, gone.getFirst(), Optional.ofNullable(younger)));
        }
    }

    /** Rows to remove from the log, then cuts to make in memory. */
    record Step(List<Version> rows, List<Cut> cuts) {}

    /**
     * One key's history ends before a version.
     *
     * @param gone the youngest version removed
     * @param younger the version after what is kept at the compacted revision, if there is one
     */
    record Cut(String key, Version newest, Version gone, Optional<Version> younger) {

        void apply(KeyIndex index) {
            if (gone == newest) {
                index.remove(key, newest);
                return;
            }
            Version version = younger.filter(v -> v.previous == gone).orElse(newest);
            while (version.previous != gone) {
                version = version.previous;
            }
            version.previous = null;
        }
    }
}
