package io.sluice.store.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The revision up to which callers were answered, in a file of its own beside the log. Written after the log's fsync and before the
 * answers, without an fsync: it may lag behind after a power loss, and never runs ahead. So a log that ends before it has lost
 * acknowledged data, while a torn end behind it is only a write nobody was told of.
 */
final class AcknowledgedMark implements AutoCloseable {
    static final String NAME = "acknowledged";
    private static final int SLOT = 512;
    private static final int BYTES = 12;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    private long newest;

    private AcknowledgedMark(FileChannel channel) {
        this.channel = channel;
    }

    static AcknowledgedMark open(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(NAME),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        AcknowledgedMark mark = new AcknowledgedMark(channel);
        if (channel.size() < 2 * SLOT) {
            channel.write(
                    ByteBuffer.allocate(2 * SLOT),
                    0); // room for both, so that a full disk cannot stop it later
        }
        mark.newest = Math.max(mark.read(0), mark.read(1));
        return mark;
    }

    /** 0 if nothing is known. */
    long newest() {
        return newest;
    }

    /** Two slots in turn, so that a torn write leaves the one before. */
    void write(long revision) throws IOException {
        buffer.clear();
        buffer.putLong(revision).putInt(checksum(revision)).flip();
        channel.write(buffer, SLOT * (revision & 1));
        newest = revision;
    }

    private long read(int slot) throws IOException {
        buffer.clear();
        if (channel.read(buffer, (long) SLOT * slot) < BYTES) {
            return 0;
        }
        buffer.flip();
        long revision = buffer.getLong();
        return buffer.getInt() == checksum(revision) ? revision : 0;
    }

    private static int checksum(long revision) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(8).putLong(revision).flip());
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
