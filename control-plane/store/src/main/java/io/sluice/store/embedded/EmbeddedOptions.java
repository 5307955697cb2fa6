package io.sluice.store.embedded;

/**
 * Bounds of an embedded store.
 *
 * @param maxBytes quota for keys and values, history included
 * @param reserveBytes room kept on the disk so that deletes and compaction work when it is full
 * @param cacheBytes newest values kept in memory; others are read from disk
 * @param checkpointBytes about so much is written ahead before it moves into the main file
 * @param queueCapacity transactions that may wait; further ones are refused
 * @param watchQueueCapacity transactions that may wait for one watch's consumer; then the watch ends
 */
public record EmbeddedOptions(
        long maxBytes,
        long reserveBytes,
        long cacheBytes,
        long checkpointBytes,
        int queueCapacity,
        int watchQueueCapacity) {

    public static EmbeddedOptions defaults() {
        return new EmbeddedOptions(8L << 30, 4L << 20, 32L << 20, 8L << 20, 4096, 10_000);
    }

    public EmbeddedOptions withMaxBytes(long bytes) {
        return new EmbeddedOptions(
                bytes,
                reserveBytes,
                cacheBytes,
                checkpointBytes,
                queueCapacity,
                watchQueueCapacity);
    }

    public EmbeddedOptions withReserveBytes(long bytes) {
        return new EmbeddedOptions(
                maxBytes, bytes, cacheBytes, checkpointBytes, queueCapacity, watchQueueCapacity);
    }

    public EmbeddedOptions withCacheBytes(long bytes) {
        return new EmbeddedOptions(
                maxBytes, reserveBytes, bytes, checkpointBytes, queueCapacity, watchQueueCapacity);
    }

    public EmbeddedOptions withCheckpointBytes(long bytes) {
        return new EmbeddedOptions(
                maxBytes, reserveBytes, cacheBytes, bytes, queueCapacity, watchQueueCapacity);
    }

    public EmbeddedOptions withWatchQueueCapacity(int transactions) {
        return new EmbeddedOptions(
                maxBytes, reserveBytes, cacheBytes, checkpointBytes, queueCapacity, transactions);
    }
}
