package io.sluice.store.embedded;

import io.sluice.store.StoreException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps a second process, or a second store of this one, out of a store's directory. The kernel lets go when the process dies. */
final class DirectoryLock implements AutoCloseable {
    private static final String NAME = "lock";

    /**
     * Directories this process holds. Asked first, without touching the file: the kernel drops a process's lock on a file as soon as
     * the process closes any descriptor of it.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    static DirectoryLock take(Path directory) throws IOException {
        Path real = directory.toRealPath();
        long pid = ProcessHandle.current().pid();
        if (!HELD.add(real)) {
            throw inUse(directory, "process " + pid + ", which is this one");
        }
        boolean taken = false;
        try {
            DirectoryLock lock = new DirectoryLock(real, lock(real, "process " + pid));
            taken = true;
            return lock;
        } finally {
            if (!taken) {
                HELD.remove(real);
            }
        }
    }

    private static FileChannel lock(Path directory, String self) throws IOException {
        Path file = directory.resolve(NAME);
        FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (Optional.ofNullable(channel.tryLock()).isEmpty()) {
            String holder = Files.readString(file).strip();
            channel.close();
            throw inUse(directory, holder.isEmpty() ? "another process" : holder);
        }
        channel.truncate(0);
        channel.write(ByteBuffer.wrap((self + "\n").getBytes(StandardCharsets.UTF_8)), 0);
        return channel;
    }

    private static StoreException inUse(Path directory, String holder) {
        return new StoreException("cannot open the store in " + directory + ": it is in use by "
                + holder + " (lock file " + directory.resolve(NAME)
                + "). Stop that process, or use another directory");
    }

    @Override
    public void close() throws IOException {
        channel.close();
        HELD.remove(directory);
    }
}
