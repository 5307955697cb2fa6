package io.sluice.store.embedded;

import io.sluice.store.StoreException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps a second process, or a second store of this one, out of a store's directory. The kernel lets go when the process dies. */
final class DirectoryLock implements AutoCloseable {
    private static final String NAME = "lock";

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    static DirectoryLock take(Path directory) throws IOException {
        Path file = directory.resolve(NAME);
        FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (!locked(channel)) {
            String holder = Files.readString(file).strip();
            channel.close();
            throw new StoreException("cannot open the store in " + directory + ": it is in use by "
                    + (holder.isEmpty() ? "another process" : holder) + " (lock file " + file
                    + "). Stop that process, or use another directory");
        }
        long pid = ProcessHandle.current().pid();
        channel.truncate(0);
        channel.write(
                ByteBuffer.wrap(("process " + pid + "\n").getBytes(StandardCharsets.UTF_8)), 0);
        return new DirectoryLock(channel);
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // this very process holds it
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
