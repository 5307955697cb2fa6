package io.sluice.nft;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes as a value: a key or a value as the kernel keeps it, each field padded to four bytes. */
public final class Bits {
    static final Bits NONE = new Bits(new byte[0]);

    private final byte[] bytes;

    private Bits(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bits bits && Arrays.equals(bytes, bits.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
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

    /** Puts fields one behind the other. */
    static final class Builder {
        private final ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());

        Builder address(IpAddress address) {
            out.put(address.bytes());
            return this;
        }

        Builder protocol(Protocol protocol) {
            out.put((byte) Bits.number(protocol)).put((byte) 0).putShort((short) 0);
            return this;
        }

        Builder port(int port) {
            out.put((byte) (port >>> 8)).put((byte) port).putShort((short) 0);
            return this;
        }

        Builder number(int number) {
            out.putInt(number);
            return this;
        }

        Bits bits() {
            return new Bits(Arrays.copyOf(out.array(), out.position()));
        }
    }
}
