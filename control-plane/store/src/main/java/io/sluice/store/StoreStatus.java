package io.sluice.store;

import java.util.Optional;

/**
 * How a store is doing, for readiness and metrics.
 *
 * @param sizeOnDisk bytes its files take, write-ahead log and reserve included
 * @param usedBytes bytes of keys and values held, history included; what the quota bounds
 * @param keys number of keys that exist now
 * @param queueDepth transactions waiting for the committer
 * @param refusedFull transactions refused because the disk or the quota was full
 * @param refusedBusy transactions refused because the queue was full
 * @param watches watches running
 * @param watchesEnded watches ended because their consumer was too slow
 * @param compacting whether history is still being removed in the background
 * @param mode what it takes at the moment
 * @param lastError the last thing that went wrong, if anything did
 */
public record StoreStatus(
        long sizeOnDisk,
        long usedBytes,
        long keys,
        long revision,
        long compactedRevision,
        int queueDepth,
        long refusedFull,
        long refusedBusy,
        int watches,
        long watchesEnded,
        boolean compacting,
        Mode mode,
        Optional<String> lastError) {

    /** What a store takes. */
    public enum Mode {
        /** Everything. */
        WRITABLE,
        /** Reads, watches, deletes, compaction; puts once there is room. */
        FULL,
        /** Reads and watches only, until it is opened again: the disk failed. */
        FAILED
    }
}
