package io.sluice.nft;

import io.sluice.api.net.IpFamily;

/** One part of a key or of a value. In a concatenation each takes a multiple of four bytes. */
public enum Field {
    ADDRESS("addr"),
    PROTOCOL("inet_proto"),
    PORT("inet_service"),
    /** 32 bits in the machine's own order; nft's type for those is that of marks. */
    NUMBER("mark");

    private final String word;

    Field(String word) {
        this.word = word;
    }

    /** nft's name of the type. */
    public String type(IpFamily family) {
        if (this != ADDRESS) {
            return word;
        }
        return family == IpFamily.IPV4 ? "ipv4_addr" : "ipv6_addr";
    }

    /** Bytes the value has. */
    public int bytes(IpFamily family) {
        return switch (this) {
            case ADDRESS -> family.bits() / 8;
            case PROTOCOL -> 1;
            case PORT -> 2;
            case NUMBER -> 4;
        };
    }

    /** Bytes it takes. */
    public int room(IpFamily family) {
        return bytes(family) + 3 & ~3;
    }
}
