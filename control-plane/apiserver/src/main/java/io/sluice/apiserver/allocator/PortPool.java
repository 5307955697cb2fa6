package io.sluice.apiserver.allocator;

import java.util.BitSet;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * The node ports. The lower band is left to explicit requests until the upper one is full. Guarded by {@link ServiceAllocator}'s lock.
 */
final class PortPool {
    private static final int MIN_BAND = 16;
    private static final int MAX_BAND = 128;
    private static final int SHARE = 32;

    private final int first;
    private final int size;
    private final int band;
    private final RandomGenerator random;
    private final BitSet taken = new BitSet();

    PortPool(int first, int last, RandomGenerator random) {
        if (first < 1 || last > 65535 || first > last) {
            throw new IllegalArgumentException(
                    "node port range " + first + '-' + last + " is not within 1-65535");
        }
        this.first = first;
        this.size = last - first + 1;
        this.band = size < MIN_BAND
                ? 0
                : Math.clamp(size / SHARE, Math.min(MIN_BAND, size / 2), MAX_BAND);
        this.random = random;
    }

    boolean contains(int port) {
        return port >= first && port < first + size;
    }

    String range() {
        return first + "-" + (first + size - 1);
    }

    /** False where it is taken. */
    boolean take(int port) {
        if (taken.get(port)) {
            return false;
        }
        taken.set(port);
        return true;
    }

    void giveBack(int port) {
        taken.clear(port);
    }

    /** Any free port; empty where all are taken. */
    OptionalInt takeAny() {
        OptionalInt upper = takeBetween(first + band, first + size);
        return upper.isPresent() ? upper : takeBetween(first, first + band);
    }

    private OptionalInt takeBetween(int from, int to) {
        if (from >= to) {
            return OptionalInt.empty();
        }
        int port = taken.nextClearBit(from + random.nextInt(to - from));
        if (port >= to) {
            port = taken.nextClearBit(from);
        }
        if (port >= to) {
            return OptionalInt.empty();
        }
        taken.set(port);
        return OptionalInt.of(port);
    }
}
