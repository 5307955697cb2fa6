package io.sluice.nft;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes as a value: a key or a value as the kernel keeps it, each field padded to four bytes. */
public final class Bits {
    static final Bits NONE = new Bits(new byte[0]);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle BIG_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final byte[] bytes;
    /** 0 until somebody asks. */
    private int hash;

    private Bits(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Bits bits && Arrays.equals(bytes, bits.bytes);
    }

    @Override
    public int hashCode() {
        if (hash == 0) {
            hash = Arrays.hashCode(bytes);
        }
        return hash;
    }

    /** These, and a number behind them. */
    Bits plus(int number) {
        byte[] out = Arrays.copyOf(bytes, bytes.length + 4);
        INT.set(out, bytes.length, number);
        return new Bits(out);
    }

    /** IANA's protocol numbers. */
    public static int number(Protocol protocol) {
        return switch (protocol) {
            case TCP -> 6;
            case UDP -> 17;
            case SCTP -> 132;
        };
    }

    static Bits of(byte[] bytes) {
        return new Bits(bytes);
    }

    static Builder of() {
        return new Builder();
    }

    /** An address and a port, which is how endpoints are kept. */
    static Bits endpoint(IpAddress address, int port) {
        return new Builder().address(address).port(port).bits();
    }

    /** Puts fields one behind the other. */
    static final class Builder {
        private byte[] out = new byte[24];
        private int length;

        private int claim(int size) {
            int at = length;
            length += size;
            if (length > out.length) {
                out = Arrays.copyOf(out, 2 * length);
            }
            return at;
        }

        Builder address(IpAddress address) {
            if (address.family() == IpFamily.IPV4) {
                BIG_INT.set(out, claim(4), (int) address.low());
            } else {
                int at = claim(16);
                BIG_LONG.set(out, at, address.high());
                BIG_LONG.set(out, at + 8, address.low());
            }
            return this;
        }

        Builder protocol(Protocol protocol) {
            int at = claim(4);
            out[at] = (byte) Bits.number(protocol);
            return this;
        }

        Builder port(int port) {
            int at = claim(4);
            out[at] = (byte) (port >>> 8);
            out[at + 1] = (byte) port;
            return this;
        }

        Builder number(int number) {
            int at = claim(4);
            INT.set(out, at, number);
            return this;
        }

        Bits bits() {
            return new Bits(length == out.length ? out : Arrays.copyOf(out, length));
        }
    }
}
