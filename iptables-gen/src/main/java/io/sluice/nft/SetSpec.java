package io.sluice.nft;

import io.sluice.api.net.IpFamily;

import java.util.List;

/**
 * A set, or where there is data a map.
 *
 * @param name unique in its table
 * @param data empty for a set
 * @param ranges whether an element's last field may be a range
 * @param timeoutSeconds how long an element that a rule adds lives; 0 where only we add
 */
public record SetSpec(
        String name, List<Field> key, List<Field> data, boolean ranges, int timeoutSeconds) {

    static SetSpec set(String name, Field... key) {
        return new SetSpec(name, List.of(key), List.of(), false, 0);
    }

    public boolean isMap() {
        return !data.isEmpty();
    }

    /** Of a key, padded. */
    public int keyBytes(IpFamily family) {
        return room(key, family);
    }

    /** Of a value, padded. */
    public int dataBytes(IpFamily family) {
        return room(data, family);
    }

    private static int room(List<Field> fields, IpFamily family) {
        return fields.stream().mapToInt(field -> field.room(family)).sum();
    }
}
