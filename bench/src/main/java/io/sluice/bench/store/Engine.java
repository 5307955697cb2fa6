package io.sluice.bench.store;

import java.util.List;

/** What the trial asks of an engine; used by one committer thread for writes, by any for reads. */
interface Engine {

    /** Makes all pairs durable with one flush. */
    void write(List<Pair> pairs) throws Exception;

    byte[] get(String key) throws Exception;

    /** Reads so many values in key order; says how many bytes they were. */
    long list(int count) throws Exception;

    void close() throws Exception;

    /** A key and its value. */
    record Pair(String key, byte[] value) {}
}
