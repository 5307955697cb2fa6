package io.sluice.store.embedded;

/** Builds the index from the log's rows in order. */
final class IndexLoader {
    private final KeyIndex index;
    private Digest digest = Digest.EMPTY;

    IndexLoader(KeyIndex index) {
        this.index = index;
    }

    void add(Row row, int checksum) {
        Version before = index.newest(row.key());
        // Without its predecessor only if a compaction was cut short.
        boolean linked = before != null && before.id == row.previous();
        Version version = Version.of(row, checksum, linked || row.previous() == 0 ? before : null);
        version.value = row.value().orElse(null);
        index.add(row.key(), version);
        digest = digest.plus(version);
    }

    KeyIndex index() {
        return index;
    }

    Digest digest() {
        return digest;
    }
}
