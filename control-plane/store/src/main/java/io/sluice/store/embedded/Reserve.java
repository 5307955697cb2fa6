package io.sluice.store.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Room held on the disk by a file of zeros. It is given up when the disk is full, so that deletes and compaction still work, and taken
 * again when there is room. Used by the opening thread, then by the committer thread alone.
 */
final class Reserve {
    static final String NAME = "reserve";
    /** Left free beside the reserve, or the next write would be refused again at once. */
    private static final long MARGIN = 256 << 10;

    private final Path file;
    private final long bytes;

    private final long margin;

    private Reserve(Path file, long bytes, long margin) {
        this.file = file;
        this.bytes = bytes;
        this.margin = margin;
    }

    static Reserve forDeletes(Path directory, long bytes) {
        return new Reserve(directory.resolve(NAME), bytes, MARGIN);
    }

    /** Held while the store is closed, so that a disk filled meanwhile does not keep it from opening. */
    static Reserve forOpening(Path directory) {
        return new Reserve(directory.resolve(NAME + "-open"), 64 << 10, 0);
    }

    void release() throws IOException {
        Files.deleteIfExists(file);
    }

    /** Takes the room; false if there is not enough. */
    boolean take() throws IOException {
        if (Files.exists(file) && Files.size(file) == bytes) {
            return true;
        }
        release();
        if (usable() < bytes + margin) {
            return false;
        }
        boolean written = false;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
            for (long at = 0; at < bytes; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
                at += channel.write(zeros, at);
            }
            channel.force(true);
            written = true;
        } catch (IOException e) {
            return false; // somebody else took the room in between
        } finally {
            if (!written) {
                release();
            }
        }
        return true;
    }

    /** Asked by path: a FileStore would need the disk in the mount table, which a chroot does not have. */
    long usable() {
        return file.toAbsolutePath().getParent().toFile().getUsableSpace();
    }
}
