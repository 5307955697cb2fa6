package io.sluice.store.embedded;

import io.sluice.store.Store.CommitResult;
import io.sluice.store.Store.Condition;
import io.sluice.store.Store.Entry;
import io.sluice.store.Store.Operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what transactions that share one fsync do, one after the other, and changes nothing: each sees what those before it leave.
 * Built, used and forgotten by the committer thread.
 */
final class Batch {
    private final KeyIndex index;
    private final ValueReader values;
    private final Map<String, Version> changed = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private long revision;

    Batch(KeyIndex index, ValueReader values, long revision) {
        this.index = index;
        this.values = values;
        this.revision = revision;
    }

    /** One row to append, with the version it makes; the version's {@code previous} is what it replaces. */
    record Change(Row row, Version version) {}

    /** Reads a value that is not in memory. */
    interface ValueReader {
        byte[] read(Version version) throws SQLException;
    }

    List<Change> changes() {
        return changes;
    }

    /** The revision after all transactions so far. */
    long revision() {
        return revision;
    }

    CommitResult add(List<Condition> conditions, List<Operation> operations) throws SQLException {
        for (Condition condition : conditions) {
            Version now = newest(condition.key());
            long found = now != null && now.exists() ? now.revision() : 0;
            if (found != condition.modRevision()) {
                return new CommitResult.Conflict(condition.key(), entry(condition.key(), now));
            }
        }
        int before = changes.size();
        for (Operation operation : operations) {
            apply(operation, changes.size() - before);
        }
        if (changes.size() > before) {
            revision++;
        }
        return new CommitResult.Committed(revision);
    }

    private void apply(Operation operation, int number) {
        String key = operation.key();
        Version now = newest(key);
        boolean exists = now != null && now.exists();
        long id = Row.id(revision + 1, number);
        switch (operation) {
            case Operation.Put put -> {
                long created = exists ? now.created : Row.revision(id);
                change(
                        new Row(id, key, Optional.of(put.value()), created, exists ? now.id : 0),
                        now);
            }
            case Operation.Delete delete -> {
                if (exists) {
                    change(new Row(id, key, Optional.empty(), now.created, now.id), now);
                }
            }
        }
    }

    private void change(Row row, Version before) {
        Version version = Version.of(row, row.checksum(), before);
        version.value = row.value().orElse(null);
        changed.put(row.key(), version);
        changes.add(new Change(row, version));
    }

    private Version newest(String key) {
        Version version = changed.get(key);
        return version != null ? version : index.newest(key);
    }

    private Optional<Entry> entry(String key, Version version) throws SQLException {
        if (version == null || version.deleted) {
            return Optional.empty();
        }
        return Optional.of(
                new Entry(key, values.read(version), version.created, version.revision()));
    }
}
