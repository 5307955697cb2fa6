package io.sluice.nft;

/**
 * An element of a set or map.
 *
 * @param keyEnd the end of a range of keys; as {@code key} where it is none
 * @param data empty in a set
 * @param comment the Service port for which it is there; may be empty
 */
public record Element(String set, Bits key, Bits keyEnd, Bits data, String comment) {

    static Element of(String set, Bits key, String comment) {
        return new Element(set, key, key, Bits.NONE, comment);
    }

    static Element of(String set, Bits key, Bits data, String comment) {
        return new Element(set, key, key, data, comment);
    }

    /** As the kernel has it. */
    public static Element of(String set, byte[] key, byte[] keyEnd, byte[] data) {
        return new Element(set, Bits.of(key), Bits.of(keyEnd), Bits.of(data), "");
    }

    /** Names it within its table. */
    record Id(String set, Bits key, Bits keyEnd) {}

    Id id() {
        return new Id(set, key, keyEnd);
    }
}
