package io.sluice.store.embedded;

/**
 * One value of one key, or its absence after a delete, in memory. Written by the committer thread; {@code previous} and {@code value}
 * are read by all.
 */
final class Version {
    final long id;
    final long created;
    final boolean deleted;
    final int size;
    final int checksum;

    /** The version before; null when there is none or it was compacted. */
    volatile Version previous;

    /** The value if it is kept in memory; null means: read it from the log. */
    volatile byte[] value;

    Version(long id, long created, boolean deleted, int size, int checksum, Version previous) {
        this.id = id;
        this.created = created;
        this.deleted = deleted;
        this.size = size;
        this.checksum = checksum;
        this.previous = previous;
    }

    static Version of(Row row, int checksum, Version previous) {
        return new Version(
                row.id(), row.created(), row.value().isEmpty(), row.size(), checksum, previous);
    }

    long revision() {
        return Row.revision(id);
    }

    boolean exists() {
        return !deleted;
    }

    /** The newest version at or below the revision, starting here; null if there is none. */
    Version at(long revision) {
        Version version = this;
        while (version != null && version.revision() > revision) {
            version = version.previous;
        }
        return version;
    }
}
