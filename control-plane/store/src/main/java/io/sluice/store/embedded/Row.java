package io.sluice.store.embedded;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * One row of the log: one key changed by one operation.
 *
 * @param id revision in the upper 48 bits, number of the operation within its transaction in the lower 16
 * @param value empty for a delete
 * @param created revision that created the key; for a delete, of what it deleted
 * @param previous id of the row this one replaces; 0 for a creation
 */
record Row(long id, String key, Optional<byte[]> value, long created, long previous) {
    static final int MAX_OPERATIONS = 1 << 16;

    /** What a row takes beside key and value: columns, record header, b-tree cell. */
    private static final int OVERHEAD = 48;

    static long id(long revision, int operation) {
        return revision << 16 | operation;
    }

    static long revision(long id) {
        return id >>> 16;
    }

    long revision() {
        return revision(id);
    }

    int size() {
        return OVERHEAD + key.length() + value.map(bytes -> bytes.length).orElse(0);
    }

    /** Covers every column, so that neither a value nor its place can change unnoticed. */
    int checksum() {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        ByteBuffer fixed = ByteBuffer.allocate(8 * 3 + 5);
        fixed.putLong(id).putLong(created).putLong(previous).putInt(name.length);
        fixed.put((byte) (value.isPresent() ? 1 : 0)).flip();
        CRC32C crc = new CRC32C();
        crc.update(fixed);
        crc.update(name);
        value.ifPresent(crc::update);
        return (int) crc.getValue();
    }
}
