package io.sluice.api.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * An IP address as a value: no host name, no scope, 32 bytes of heap.
 *
 * @param family which of the two halves below carries meaning
 * @param high upper 64 bits of an IPv6 address; 0 for IPv4
 * @param low lower 64 bits of an IPv6 address; the 32 bits of an IPv4 address, unsigned
 */
public record IpAddress(IpFamily family, long high, long low) implements Comparable<IpAddress> {

    /**
     * Parses as Kubernetes does: IPv4 octets may have leading zeros, which are decimal
     * ({@code 010.0.0.1} is {@code 10.0.0.1}). Host names, zones and empty text give empty.
     * An IPv4-mapped IPv6 address is the IPv4 address.
     */
    public static Optional<IpAddress> parse(String text) {
        return IpText.parse(text);
    }

    /** As {@link #parse}, for text known to be an address. */
    public static IpAddress of(String text) {
        return parse(text)
                .orElseThrow(
                        () -> new IllegalArgumentException("not an IP address: \"" + text + '"'));
    }

    /** From 4 or 16 bytes in network order. */
    public static IpAddress of(byte[] bytes) {
        return switch (bytes.length) {
            case 4 -> new IpAddress(IpFamily.IPV4, 0, readLong(bytes, 0, 4));
            case 16 -> new IpAddress(IpFamily.IPV6, readLong(bytes, 0, 8), readLong(bytes, 8, 8));
            default ->
                throw new IllegalArgumentException(
                        "an IP address has 4 or 16 bytes, not " + bytes.length);
        };
    }

    private static long readLong(byte[] bytes, int from, int count) {
        long value = 0;
        for (int i = from; i < from + count; i++) {
            value = value << 8 | bytes[i] & 0xff;
        }
        return value;
    }

    /** 4 or 16 bytes in network order. */
    public byte[] bytes() {
        byte[] out = new byte[family.bits() / 8];
        for (int i = 0; i < out.length; i++) {
            int fromEnd = out.length - 1 - i;
            long half = fromEnd < 8 ? low : high;
            out[i] = (byte) (half >>> 8 * (fromEnd & 7));
        }
        return out;
    }

    public InetAddress toInetAddress() {
        try {
            return InetAddress.getByAddress(bytes());
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }

    public boolean isLoopback() {
        return family == IpFamily.IPV4 ? low >>> 24 == 127 : high == 0 && low == 1;
    }

    public boolean isUnspecified() {
        return high == 0 && low == 0;
    }

    /** {@code 169.254.0.0/16} or {@code fe80::/10}. */
    public boolean isLinkLocal() {
        return family == IpFamily.IPV4 ? low >>> 16 == 0xa9fe : high >>> 54 == 0x3fa;
    }

    /** {@code 224.0.0.0/4} or {@code ff00::/8}. */
    public boolean isMulticast() {
        return family == IpFamily.IPV4 ? low >>> 28 == 0xe : high >>> 56 == 0xff;
    }

    /** {@code address:port}, IPv6 in brackets. */
    public String withPort(int port) {
        return family == IpFamily.IPV4 ? toString() + ':' + port : '[' + toString() + "]:" + port;
    }

    @Override
    public int compareTo(IpAddress other) {
        int byFamily = family.compareTo(other.family);
        int byHigh = byFamily != 0 ? byFamily : Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /** Canonical text: dotted decimal, or RFC 5952. */
    @Override
    public String toString() {
        return IpText.format(this);
    }
}
