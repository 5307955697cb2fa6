package io.sluice.apiserver.allocator;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The addresses of one range. The network address and, for IPv4, the broadcast address are never given out. The lower band is left to
 * explicit requests until the upper one is full. Guarded by {@link ServiceAllocator}'s lock.
 */
final class IpPool {
    private static final int MIN_BAND = 16;
    private static final int MAX_BAND = 256;
    private static final int MAX_BITS = 20;
    private static final int TRIES = 32;

    private final Cidr range;
    private final RandomGenerator random;
    private final int size;
    private final int band;
    private final Set<IpAddress> taken = new HashSet<>();
    private int takenByOffset;

    IpPool(Cidr range, RandomGenerator random) {
        this.range = range;
        this.random = random;
        int bits = Math.min(range.family().bits() - range.prefix(), MAX_BITS);
        if (bits < 2) {
            throw new IllegalArgumentException(
                    "service range " + range + " is too small: at least 4 addresses are needed");
        }
        // Without the network address; for IPv4 also without broadcast, when the range reaches it.
        boolean broadcast = range.family() == IpFamily.IPV4
                && range.family().bits() - range.prefix() <= MAX_BITS;
        this.size = (1 << bits) - (broadcast ? 2 : 1);
        this.band = band(size);
    }

    /** How many addresses at the start are left for explicit requests: a sixteenth, 16 to 256, none in tiny ranges. */
    static int band(int size) {
        if (size < MIN_BAND) {
            return 0;
        }
        return Math.clamp(size / 16, Math.min(MIN_BAND, size / 2), MAX_BAND);
    }

    IpFamily family() {
        return range.family();
    }

    Cidr range() {
        return range;
    }

    /** Whether an explicit address may be asked for. */
    boolean contains(IpAddress address) {
        return range.contains(address)
                && !address.equals(range.address())
                && !address.equals(broadcast());
    }

    private IpAddress broadcast() {
        if (range.family() == IpFamily.IPV6) {
            return range.address();
        }
        long hosts = (1L << 32 - range.prefix()) - 1;
        return new IpAddress(IpFamily.IPV4, 0, range.address().low() | hosts);
    }

    /** False where it is taken. */
    boolean take(IpAddress address) {
        boolean added = taken.add(address);
        if (added && inPool(address)) {
            takenByOffset++;
        }
        return added;
    }

    void giveBack(IpAddress address) {
        if (taken.remove(address) && inPool(address)) {
            takenByOffset--;
        }
    }

    /** Within the part of a large range that addresses are chosen from. */
    private boolean inPool(IpAddress address) {
        BigInteger offset = number(address).subtract(number(range.address()));
        return offset.signum() > 0 && offset.compareTo(BigInteger.valueOf(size)) <= 0;
    }

    /** Any free address, the upper band first; empty where all are taken. */
    Optional<IpAddress> takeAny() {
        if (takenByOffset >= size) {
            return Optional.empty();
        }
        return takeBetween(band, size).or(() -> takeBetween(0, band));
    }

    private Optional<IpAddress> takeBetween(int from, int to) {
        int count = to - from;
        if (count <= 0) {
            return Optional.empty();
        }
        for (int i = 0; i < TRIES; i++) {
            IpAddress address = at(from + random.nextInt(count));
            if (take(address)) {
                return Optional.of(address);
            }
        }
        int start = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            IpAddress address = at(from + (start + i) % count);
            if (take(address)) {
                return Optional.of(address);
            }
        }
        return Optional.empty();
    }

    private IpAddress at(int offset) {
        // Ranges are aligned and offsets below 2^20, so nothing carries into the upper half.
        IpAddress base = range.address();
        return new IpAddress(base.family(), base.high(), base.low() + 1 + offset);
    }

    private static BigInteger number(IpAddress address) {
        return new BigInteger(1, address.bytes());
    }
}
