package io.sluice.store;

import java.util.List;
import java.util.Optional;

/**
 * An ordered key-value store with one revision counter, as etcd v3 has it. Keys are compared as unsigned UTF-8 bytes. All methods
 * may be called from any thread; reads never wait for writes.
 *
 * <p>A transaction that committed is on disk before {@link #commit} returns. The first revision of an empty store is 1.
 */
public interface Store extends AutoCloseable {

    /** The revision of the newest committed transaction. */
    long revision();

    /** Reads at, and watches after, a revision below this one fail with {@link CompactedException}; 0 at first. */
    long compactedRevision();

    /**
     * The key as it was at the revision.
     *
     * @param revision 0 for the newest
     * @throws CompactedException if it is no longer held
     * @throws FutureRevisionException if it has not happened yet
     */
    Optional<Entry> get(String key, long revision);

    /** Keys in order, as of one revision; fails as {@link #get} does. */
    Range range(RangeQuery query);

    /**
     * Applies all operations under one new revision if every condition holds, and returns when that is durable. Concurrent callers
     * share one fsync. A transaction that changes nothing takes no revision and is answered with the newest one.
     *
     * <p>After any other {@link StoreException} the outcome is unknown, as after a cut connection: read before trying again.
     *
     * @throws StoreBusyException if too many writers wait; nothing changed
     * @throws StoreFullException if the disk or the quota is full; nothing changed
     * @throws StoreException if the disk failed; nothing was acknowledged
     */
    CommitResult commit(List<Condition> conditions, List<Operation> operations);

    /**
     * Delivers every change of keys with the prefix after the revision, in order, then live ones.
     *
     * @param afterRevision events have greater revisions; 0 means from now on; it may lie in the future
     * @throws CompactedException if such events are no longer held
     */
    StoreWatch watch(String prefix, long afterRevision, StoreWatch.Sink sink);

    /**
     * Forgets what was replaced or deleted at or below the revision; each key as of the revision stays. Returns once that is
     * decided durably; the space is given back in the background.
     *
     * @throws FutureRevisionException if it has not happened yet
     */
    void compact(long revision);

    /** For readiness and metrics; cheap. */
    StoreStatus status();

    @Override
    void close();

    /**
     * One key at one revision. The value is shared with the store and must not be changed.
     *
     * @param createRevision revision that created the key
     * @param modRevision revision of this value
     */
    record Entry(String key, byte[] value, long createRevision, long modRevision) {}

    /**
     * What to read.
     *
     * @param prefix keys that start so
     * @param after only keys greater than this one; empty for all
     * @param limit at most so many entries; 0 for all
     * @param revision 0 for the newest
     */
    record RangeQuery(String prefix, String after, int limit, long revision) {}

    /**
     * What was read.
     *
     * @param revision the revision the answer holds for
     * @param remaining how many further keys match beyond the limit
     */
    record Range(List<Entry> entries, long revision, long remaining) {}

    /** Must hold for a transaction to commit: the key's modRevision, 0 for "does not exist". */
    record Condition(String key, long modRevision) {}

    /** One step of a transaction. No key may appear twice in one. */
    sealed interface Operation {
        String key();

        /** The value must not be changed afterwards by the caller. */
        record Put(String key, byte[] value) implements Operation {}

        /** Deleting an absent key does nothing. */
        record Delete(String key) implements Operation {}
    }

    /** How a transaction ended. */
    sealed interface CommitResult {
        /** It is durable under this revision. */
        record Committed(long revision) implements CommitResult {}

        /** A condition failed: the key it names, as it is now. */
        record Conflict(String key, Optional<Entry> found) implements CommitResult {}
    }

    /**
     * One change, for watchers.
     *
     * @param value the new value; for a delete empty
     * @param previous the entry before; absent for a creation
     * @param revision of the transaction
     */
    record Event(String key, Optional<byte[]> value, Optional<Entry> previous, long revision) {}
}
