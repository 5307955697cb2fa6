package io.sluice.apiserver.openapi;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Writes one protobuf message, field by field. */
final class ProtobufWriter {
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Nothing for an empty text, which is the default. */
    void text(int field, String value) {
        if (!value.isEmpty()) {
            bytes(field, value.getBytes(StandardCharsets.UTF_8));
        }
    }

    void bool(int field, boolean value) {
        if (value) {
            varint(field << 3 | VARINT);
            varint(1);
        }
    }

    void message(int field, Consumer<ProtobufWriter> content) {
        ProtobufWriter inner = new ProtobufWriter();
        content.accept(inner);
        bytes(field, inner.toBytes());
    }

    /** A map's entry: the name in field 1, the value in field 2. */
    void named(int field, String name, Consumer<ProtobufWriter> value) {
        message(field, entry -> {
            entry.text(1, name);
            entry.message(2, value);
        });
    }

    private void bytes(int field, byte[] value) {
        varint(field << 3 | BYTES);
        varint(value.length);
        out.writeBytes(value);
    }

    private void varint(int value) {
        int rest = value;
        while (rest >>> 7 != 0) {
            out.write(rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    byte[] toBytes() {
        return out.toByteArray();
    }
}
