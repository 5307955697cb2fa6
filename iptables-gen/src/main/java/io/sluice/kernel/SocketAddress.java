package io.sluice.kernel;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

/**
 * A {@code sockaddr_in} or {@code sockaddr_in6} in native memory, and the place for its length. Used by one thread at a time; the
 * memory is freed with the object.
 *
 * <pre>
 *   in   family:2 port:2 address:4 zero:8                     16 bytes
 *   in6  family:2 port:2 flow:4 address:16 scope:4            28 bytes
 * </pre>
 */
public final class SocketAddress {
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int SIZE = 28;

    private final Pointer memory = Memory.allocateDirect(LibC.RUNTIME, SIZE + 4);
    private final Pointer length = memory.slice(SIZE);

    static int domain(IpFamily family) {
        return switch (family) {
            case IPV4 -> AF_INET;
            case IPV6 -> AF_INET6;
        };
    }

    SocketAddress set(IpAddress address, int port) {
        boolean v4 = address.family() == IpFamily.IPV4;
        memory.putShort(0, (short) domain(address.family()));
        memory.putByte(2, (byte) (port >>> 8));
        memory.putByte(3, (byte) port);
        if (v4) {
            putBigEndianInt(memory, 4, (int) address.low());
            memory.putLong(8, 0);
        } else {
            memory.putInt(4, 0);
            putBigEndianLong(memory, 8, address.high());
            putBigEndianLong(memory, 16, address.low());
            memory.putInt(24, 0);
        }
        length.putInt(0, v4 ? 16 : SIZE);
        return this;
    }

    /** Makes room for an answer of the kernel. */
    SocketAddress clear() {
        length.putInt(0, SIZE);
        return this;
    }

    Pointer memory() {
        return memory;
    }

    Pointer lengthPointer() {
        return length;
    }

    int length() {
        return length.getInt(0);
    }

    public int port() {
        return (memory.getByte(2) & 0xff) << 8 | memory.getByte(3) & 0xff;
    }

    /** What the kernel wrote; IPv4-mapped addresses come out as IPv4. */
    public IpAddress address() {
        if (memory.getShort(0) == AF_INET) {
            return new IpAddress(IpFamily.IPV4, 0, bigEndianInt(memory, 4) & 0xffffffffL);
        }
        return new IpAddress(IpFamily.IPV6, bigEndianLong(memory, 8), bigEndianLong(memory, 16));
    }

    static void putBigEndianInt(Pointer memory, long offset, int value) {
        memory.putInt(offset, Integer.reverseBytes(value));
    }

    static void putBigEndianLong(Pointer memory, long offset, long value) {
        memory.putLong(offset, Long.reverseBytes(value));
    }

    static int bigEndianInt(Pointer memory, long offset) {
        return Integer.reverseBytes(memory.getInt(offset));
    }

    static long bigEndianLong(Pointer memory, long offset) {
        return Long.reverseBytes(memory.getLong(offset));
    }
}
