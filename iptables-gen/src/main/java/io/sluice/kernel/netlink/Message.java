package io.sluice.kernel.netlink;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * A view of one received message, or of one attribute's inside; valid until the buffer is used for the next datagram.
 *
 * @param type the message's or attribute's
 * @param flags of the message; 0 for an attribute
 * @param sequence of the message; 0 for an attribute
 * @param from where the payload begins
 * @param to where it ends
 */
public record Message(byte[] bytes, int type, int flags, int sequence, int from, int to) {
    private static final int TYPE_MASK = 0x3fff;
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** What follows a header of the family's own. */
    public Message skip(int header) {
        return new Message(bytes, type, flags, sequence, Math.min(from + header, to), to);
    }

    /** The first attribute of this type. A type that is damaged or missing is empty. */
    public Optional<Message> find(int wanted) {
        int at = from;
        while (at + 4 <= to) {
            int size = (short) SHORT.get(bytes, at) & 0xffff;
            if (size < 4 || at + size > to) {
                return Optional.empty();
            }
            if (((short) SHORT.get(bytes, at + 2) & TYPE_MASK) == wanted) {
                return Optional.of(new Message(bytes, wanted, 0, 0, at + 4, at + size));
            }
            at += MessageWriter.align(size);
        }
        return Optional.empty();
    }

    /** Tells each attribute. */
    public void forEach(java.util.function.Consumer<Message> visitor) {
        int at = from;
        while (at + 4 <= to) {
            int size = (short) SHORT.get(bytes, at) & 0xffff;
            if (size < 4 || at + size > to) {
                return;
            }
            int kind = (short) SHORT.get(bytes, at + 2) & TYPE_MASK;
            visitor.accept(new Message(bytes, kind, 0, 0, at + 4, at + size));
            at += MessageWriter.align(size);
        }
    }

    public int length() {
        return to - from;
    }

    public int u8(int offset) {
        return bytes[from + offset] & 0xff;
    }

    public int u16(int offset) {
        return (short) SHORT.get(bytes, from + offset) & 0xffff;
    }

    public int u16be(int offset) {
        return u8(offset) << 8 | u8(offset + 1);
    }

    public int u32(int offset) {
        return (int) INT.get(bytes, from + offset);
    }

    public int u32be(int offset) {
        return u16be(offset) << 16 | u16be(offset + 2);
    }

    public long u64(int offset) {
        return (long) LONG.get(bytes, from + offset);
    }

    public long u64be(int offset) {
        return (long) u32be(offset) << 32 | u32be(offset + 4) & 0xffffffffL;
    }

    /** A copy of the payload. */
    public byte[] copy() {
        return Arrays.copyOfRange(bytes, from, to);
    }

    /** Without the terminating zero. */
    public String text() {
        int end = from;
        while (end < to && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.UTF_8);
    }

    static int intAt(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    static int shortAt(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at) & 0xffff;
    }
}
