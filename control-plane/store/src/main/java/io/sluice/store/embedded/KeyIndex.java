package io.sluice.store.embedded;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Every key with its versions, in key order. Written by the committer thread alone, read by all without locks: a reader picks a
 * revision first and ignores younger versions.
 */
final class KeyIndex {
    private final ConcurrentSkipListMap<String, Version> newest =
            new ConcurrentSkipListMap<>(KeyOrder.INSTANCE);

    /** Keys whose newest value is in memory, oldest first; the committer's alone. */
    private final LinkedHashMap<String, Version> resident = new LinkedHashMap<>();

    private final long cacheBytes;
    private long residentBytes;
    private volatile long existing;

    KeyIndex(long cacheBytes) {
        this.cacheBytes = cacheBytes;
    }

    /** The newest version of a key, which may be a delete; null if there is none. */
    Version newest(String key) {
        return newest.get(key);
    }

    /** Keys from one on, each with its newest version. */
    Iterator<Map.Entry<String, Version>> from(String key, boolean inclusive) {
        return newest.tailMap(key, inclusive).entrySet().iterator();
    }

    Iterator<Map.Entry<String, Version>> all() {
        return newest.entrySet().iterator();
    }

    long existing() {
        return existing;
    }

    void add(String key, Version version) {
        Version before = newest.put(key, version);
        count((version.exists() ? 1 : 0) - (before != null && before.exists() ? 1 : 0));
        evict(key);
        if (version.exists() && version.value != null) {
            resident.put(key, version);
            residentBytes += version.size;
        }
        while (residentBytes > cacheBytes && !resident.isEmpty()) {
            evict(resident.firstEntry().getKey());
        }
    }

    /** Drops a key whose last version, a delete, was compacted. */
    void remove(String key, Version expected) {
        newest.remove(key, expected);
    }

    private void evict(String key) {
        Version old = resident.remove(key);
        if (old != null) {
            residentBytes -= old.size;
            old.value = null;
        }
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one writer
    private void count(int difference) {
        existing += difference;
    }
}
