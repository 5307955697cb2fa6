package io.sluice.api.net;

import java.util.Optional;

/**
 * An address block.
 *
 * @param address the network address; bits beyond the prefix are zero
 * @param prefix prefix length in bits, 0…32 or 0…128
 */
public record Cidr(IpAddress address, int prefix) {

    /** Parses {@code 10.0.0.0/8}; host bits are cleared. Empty where the text is no block. */
    public static Optional<Cidr> parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return Optional.empty();
        }
        String digits = text.substring(slash + 1);
        boolean number = !digits.isEmpty()
                && digits.length() <= 3
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!number) {
            return Optional.empty();
        }
        int prefix = Integer.parseInt(digits);
        return IpAddress.parse(text.substring(0, slash))
                .filter(address -> prefix <= address.family().bits())
                .map(address -> new Cidr(mask(address, prefix), prefix));
    }

    /** As {@link #parse}, for text known to be a block. */
    public static Cidr of(String text) {
        return parse(text)
                .orElseThrow(() -> new IllegalArgumentException("not a CIDR: \"" + text + '"'));
    }

    public IpFamily family() {
        return address.family();
    }

    /** The last address of the block. */
    public IpAddress last() {
        byte[] bytes = address.bytes();
        for (int bit = prefix; bit < bytes.length * 8; bit++) {
            bytes[bit / 8] |= (byte) (0x80 >>> bit % 8);
        }
        return IpAddress.of(bytes);
    }

    public boolean contains(IpAddress other) {
        return other.family() == address.family() && mask(other, prefix).equals(address);
    }

    private static IpAddress mask(IpAddress address, int prefix) {
        if (address.family() == IpFamily.IPV4) {
            long bits = prefix == 0 ? 0 : address.low() & 0xffffffffL << 32 - prefix & 0xffffffffL;
            return new IpAddress(IpFamily.IPV4, 0, bits);
        }
        long high = prefix == 0
                ? 0
                : prefix >= 64 ? address.high() : address.high() & -1L << 64 - prefix;
        long low = prefix <= 64
                ? 0
                : prefix == 128 ? address.low() : address.low() & -1L << 128 - prefix;
        return new IpAddress(IpFamily.IPV6, high, low);
    }

    @Override
    public String toString() {
        return address + "/" + prefix;
    }
}
