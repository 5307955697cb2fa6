package io.sluice.kernel.netlink;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes messages one behind the other, as they go out in one datagram. Grows as needed. Not thread-safe.
 *
 * <pre>
 *   nlmsghdr (16) len:4 type:2 flags:2 seq:4 pid:4
 *   nlattr        len:2 type:2 value, padded to 4
 * </pre>
 */
public final class MessageWriter {
    /** Is a request. */
    public static final int REQUEST = 1;
    /** Wants an answer also where nothing fails. */
    public static final int ACK = 4;
    /** All there are, {@code NLM_F_ROOT | NLM_F_MATCH}. */
    public static final int DUMP = 0x300;
    /** Fails where the object is there already. */
    public static final int EXCLUSIVE = 0x200;
    /** Takes the object's place. */
    public static final int REPLACE = 0x100;
    /** Makes the object where it is missing. */
    public static final int CREATE = 0x400;
    /** Behind the last in its list. */
    public static final int APPEND = 0x800;

    static final int HEADER = 16;
    private static final int NESTED = 0x8000;
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private byte[] bytes = new byte[4096];
    private int length;
    private int message = -1;
    private int messages;

    /** Begins a message. @param flags {@link #REQUEST} is added */
    public MessageWriter begin(int type, int flags, int sequence) {
        message = length;
        int at = claim(HEADER);
        SHORT.set(bytes, at + 4, (short) type);
        SHORT.set(bytes, at + 6, (short) (flags | REQUEST));
        INT.set(bytes, at + 8, sequence);
        INT.set(bytes, at + 12, 0); // whoever has the socket
        messages++;
        return this;
    }

    /** Ends the message begun last. */
    public void end() {
        INT.set(bytes, message, length - message);
        message = -1;
    }

    /** Adds flags to the message being written. */
    public void flag(int flags) {
        int now = (short) SHORT.get(bytes, message + 6);
        SHORT.set(bytes, message + 6, (short) (now | flags));
    }

    /** A single byte of a family's own header. */
    public MessageWriter u8(int value) {
        ensure(1);
        bytes[length++] = (byte) value;
        return this;
    }

    public MessageWriter u16(int value) {
        ensure(2);
        SHORT.set(bytes, length, (short) value);
        length += 2;
        return this;
    }

    public MessageWriter u16be(int value) {
        return u8(value >>> 8).u8(value);
    }

    public MessageWriter u32(int value) {
        ensure(4);
        INT.set(bytes, length, value);
        length += 4;
        return this;
    }

    /** Bytes of a family's own header or structure, without padding. */
    public MessageWriter raw(byte[] value) {
        ensure(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
        return this;
    }

    /** Opens a nested attribute. @return what {@link #close} needs */
    public int open(int type) {
        int at = claim(4);
        SHORT.set(bytes, at + 2, (short) (type | NESTED));
        return at;
    }

    /** Closes it. @throws IllegalStateException where it holds more than 64 KB, which no attribute can */
    public MessageWriter close(int opened) {
        int size = length - opened;
        if (size > 0xffff) {
            throw new IllegalStateException(
                    "a netlink attribute of " + size + " bytes; 65535 is the most");
        }
        SHORT.set(bytes, opened, (short) size);
        return this;
    }

    public MessageWriter attribute(int type, byte[] value) {
        int at = claim(4 + align(value.length));
        header(at, 4 + value.length, type);
        value(at + 4, value);
        return this;
    }

    /** An attribute with just one other inside. */
    public MessageWriter nested(int type, int inner, byte[] value) {
        int at = claim(8 + align(value.length));
        header(at, 8 + align(value.length), type | NESTED);
        header(at + 4, 4 + value.length, inner);
        value(at + 8, value);
        return this;
    }

    /** With the terminating zero. */
    public MessageWriter text(int type, String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return attribute(type, Arrays.copyOf(utf8, utf8.length + 1));
    }

    public MessageWriter number8(int type, int value) {
        int at = claim(8);
        header(at, 5, type);
        INT.set(bytes, at + 4, 0);
        bytes[at + 4] = (byte) value;
        return this;
    }

    public MessageWriter number16(int type, int value) {
        int at = claim(8);
        header(at, 6, type);
        INT.set(bytes, at + 4, 0);
        SHORT.set(bytes, at + 4, (short) value);
        return this;
    }

    public MessageWriter number16be(int type, int value) {
        int at = claim(8);
        header(at, 6, type);
        INT.set(bytes, at + 4, 0);
        bytes[at + 4] = (byte) (value >>> 8);
        bytes[at + 5] = (byte) value;
        return this;
    }

    public MessageWriter number32(int type, int value) {
        int at = claim(8);
        header(at, 8, type);
        INT.set(bytes, at + 4, value);
        return this;
    }

    public MessageWriter number32be(int type, int value) {
        return number32(type, bigEndian(value));
    }

    public MessageWriter number64be(int type, long value) {
        int at = claim(12);
        header(at, 12, type);
        boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        LONG.set(bytes, at + 4, little ? Long.reverseBytes(value) : value);
        return this;
    }

    private static int bigEndian(int value) {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
                ? Integer.reverseBytes(value)
                : value;
    }

    private void header(int at, int size, int type) {
        SHORT.set(bytes, at, (short) size);
        SHORT.set(bytes, at + 2, (short) type);
    }

    /** With zeros behind it, as far as padding goes. */
    private void value(int at, byte[] value) {
        System.arraycopy(value, 0, bytes, at, value.length);
        for (int i = value.length; (i & 3) != 0; i++) {
            bytes[at + i] = 0;
        }
    }

    /** Room for something whose every byte is written then: what lies there may be old. */
    private int claim(int size) {
        int at = length;
        ensure(size);
        length += size;
        return at;
    }

    private void ensure(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    static int align(int size) {
        return size + 3 & ~3;
    }

    /** Everything written, so far. */
    public int length() {
        return length;
    }

    /** How many messages there are. */
    public int messages() {
        return messages;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Makes it empty again, and keeps its memory. */
    public void clear() {
        length = 0;
        messages = 0;
        message = -1;
    }
}
