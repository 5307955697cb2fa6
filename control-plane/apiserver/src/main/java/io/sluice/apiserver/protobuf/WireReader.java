package io.sluice.apiserver.protobuf;

import io.sluice.apiserver.schema.DecodeException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads the fields of one message, in order. Every step is checked: the bytes come from anybody. */
final class WireReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int FIXED32 = 5;
    private static final int MAX_VARINT = 10;

    private final ByteBuffer in;
    private int number;
    private int type;

    WireReader(ByteBuffer in) {
        this.in = in.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Goes to the next field; false at the end. Its value must be read or skipped. */
    boolean next() throws DecodeException {
        if (!in.hasRemaining()) {
            return false;
        }
        long tag = varint();
        number = (int) (tag >>> 3);
        type = (int) (tag & 7);
        if (number <= 0) {
            throw malformed("field number " + number);
        }
        return true;
    }

    int number() {
        return number;
    }

    int type() {
        return type;
    }

    long varint() throws DecodeException {
        long out = 0;
        for (int i = 0; i < MAX_VARINT; i++) {
            require(1);
            byte next = in.get();
            out |= (next & 0x7fL) << 7 * i;
            if (next >= 0) {
                return out;
            }
        }
        throw malformed("a number of more than 10 bytes");
    }

    double fixed64() throws DecodeException {
        require(8);
        return in.getDouble();
    }

    /** The bytes of a text, a message or packed numbers; shares the input. */
    ByteBuffer bytes() throws DecodeException {
        if (type != BYTES) {
            throw malformed("field " + number + " has wire type " + type + ", expected 2");
        }
        long length = varint();
        if (length < 0 || length > in.remaining()) {
            throw malformed(
                    "a length of " + length + " where " + in.remaining() + " bytes are left");
        }
        ByteBuffer out = in.slice(in.position(), (int) length);
        in.position(in.position() + (int) length);
        return out;
    }

    String text() throws DecodeException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes()).toString();
        } catch (CharacterCodingException e) {
            throw malformed("text that is no UTF-8");
        }
    }

    long expectVarint() throws DecodeException {
        if (type != VARINT) {
            throw malformed("field " + number + " has wire type " + type + ", expected 0");
        }
        return varint();
    }

    void skip() throws DecodeException {
        switch (type) {
            case VARINT -> varint();
            case FIXED64 -> advance(8);
            case BYTES -> bytes();
            case FIXED32 -> advance(4);
            default -> throw malformed("wire type " + type);
        }
    }

    private void advance(int count) throws DecodeException {
        require(count);
        in.position(in.position() + count);
    }

    private void require(int count) throws DecodeException {
        if (in.remaining() < count) {
            throw malformed("the end within a field");
        }
    }

    boolean hasRemaining() {
        return in.hasRemaining();
    }

    static DecodeException malformed(String found) {
        return new DecodeException("malformed protobuf: found " + found);
    }
}
