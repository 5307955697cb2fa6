package io.sluice.store.embedded;

/**
 * What the log holds as three numbers that do not depend on order; kept in the same transaction as the rows, so that a lost, doubled
 * or foreign row shows at open even where the engine sees nothing wrong.
 *
 * @param rows how many rows
 * @param sum sum of all rows' ids and checksums, mixed
 * @param bytes sum of the rows' sizes
 */
record Digest(long rows, long sum, long bytes) {
    static final Digest EMPTY = new Digest(0, 0, 0);

    Digest plus(Version version) {
        return new Digest(rows + 1, sum + mix(version), bytes + version.size);
    }

    Digest minus(Version version) {
        return new Digest(rows - 1, sum - mix(version), bytes - version.size);
    }

    /** The finaliser of a 64-bit hash: each input bit reaches each output bit. */
    private static long mix(Version version) {
        long x = version.id * 0x9E3779B97F4A7C15L ^ Integer.toUnsignedLong(version.checksum);
        x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }
}
