package io.sluice.store.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads the engine's write-ahead log before the engine does, after the published format (sqlite.org/fileformat2.html#walformat): a
 * header with two salts, then frames, each one page with the salts and a checksum over everything before. The engine takes frames up
 * to the last sound one that ends a transaction and passes over the rest in silence; here the rest is looked at.
 */
final class WalFile {
    private static final int HEADER = 32;
    private static final int FRAME_HEADER = 24;
    private static final int MAGIC = 0x377f0682;
    private static final int FORMAT = 3_007_000;

    private WalFile() {}

    /** What was found. */
    sealed interface Finding {
        /** Whole transactions, and nothing of this generation behind them. Absent or empty files are sound. */
        record Sound(long transactions) implements Finding {}

        /**
         * The end is incomplete: a write that was never acknowledged, unless the mark says otherwise.
         *
         * @param keep bytes to keep
         * @param cut bytes behind them that belong to nothing whole
         */
        record Torn(long transactions, long keep, long cut, String why) implements Finding {}

        /** There are whole transactions behind a damaged place: acknowledged data is damaged. */
        record Damaged(long at, String why) implements Finding {}
    }

    static Finding inspect(Path file) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return new Finding.Sound(0);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new Scan(channel).run();
        }
    }

    /** One pass over the file. */
    private static final class Scan {
        private final FileChannel channel;
        private final long size;
        private ByteBuffer frame = ByteBuffer.allocate(HEADER);
        private int salt1;
        private int salt2;
        private boolean bigEndian;
        private int sum1;
        private int sum2;

        Scan(FileChannel channel) throws IOException {
            this.channel = channel;
            this.size = channel.size();
        }

        Finding run() throws IOException {
            if (size < HEADER) {
                return new Finding.Torn(0, 0, size, "its header is incomplete");
            }
            read(0, HEADER);
            int magic = frame.getInt(0);
            int pageSize = frame.getInt(8);
            bigEndian = (magic & 1) == 1;
            checksum(frame, 0, 24);
            boolean sound =
                    (magic & ~1) == MAGIC && frame.getInt(4) == FORMAT && validPageSize(pageSize);
            if (!sound || sum1 != frame.getInt(24) || sum2 != frame.getInt(28)) {
                return new Finding.Torn(0, 0, size, "its header's checksum does not match");
            }
            salt1 = frame.getInt(16);
            salt2 = frame.getInt(20);
            frame = ByteBuffer.allocate(FRAME_HEADER + pageSize);
            return frames();
        }

        private Finding frames() throws IOException {
            int length = frame.capacity();
            long transactions = 0;
            long keep = HEADER;
            long at = HEADER;
            while (at + length <= size) {
                read(at, length);
                if (!ours() && !oursFollow(at + length)) {
                    break; // left over from before the log was last taken up from its beginning
                }
                if (!ours() || !matches()) {
                    return broken(transactions, keep, at);
                }
                at += length;
                if (endsTransaction()) {
                    transactions++;
                    keep = at;
                }
            }
            if (keep == at && (at + length <= size || size == at || !startsAsOurs(at))) {
                return new Finding.Sound(transactions);
            }
            String why = keep == at
                    ? "its last page is incomplete"
                    : (at - keep) / length + " whole pages lack the end of their transaction";
            return new Finding.Torn(transactions, keep, size - keep, why);
        }

        /** A frame does not match: is there proof of a transaction that came after the broken one? */
        private Finding broken(long transactions, long keep, long at) throws IOException {
            int length = frame.capacity();
            boolean ended = false;
            for (long next = at; next + length <= size; next += length) {
                read(next, length);
                // A checksum goes on from the one stored in the frame before, so later frames can
                // be judged by themselves.
                boolean chained = next > at && ours() && matches();
                if (chained && ended) {
                    return new Finding.Damaged(
                            at,
                            "the page at byte " + at
                                    + " does not match its checksum, but whole transactions follow it");
                }
                ended |= ours() && endsTransaction() && (chained || next == at);
                sum1 = frame.getInt(16);
                sum2 = frame.getInt(20);
            }
            return new Finding.Torn(
                    transactions,
                    keep,
                    size - keep,
                    "the page at byte " + at + " does not match its checksum");
        }

        private boolean ours() {
            return frame.getInt(8) == salt1 && frame.getInt(12) == salt2;
        }

        /** Whether any whole frame from a place on belongs to this generation; leaves the frame read before in place. */
        private boolean oursFollow(long from) throws IOException {
            ByteBuffer current = frame;
            frame = ByteBuffer.allocate(FRAME_HEADER);
            boolean found = false;
            for (long at = from;
                    !found && at + current.capacity() <= size;
                    at += current.capacity()) {
                read(at, FRAME_HEADER);
                found = ours();
            }
            frame = current;
            return found;
        }

        private boolean startsAsOurs(long at) throws IOException {
            int rest = (int) (size - at);
            if (rest < 16) {
                return true; // cannot be told; cutting it is harmless
            }
            read(at, rest);
            return ours();
        }

        private boolean endsTransaction() {
            return frame.getInt(4) != 0;
        }

        /** Whether the frame continues the running checksum; if so the sum moves on. */
        private boolean matches() {
            int before1 = sum1;
            int before2 = sum2;
            checksum(frame, 0, 8);
            checksum(frame, FRAME_HEADER, frame.limit());
            boolean same = sum1 == frame.getInt(16) && sum2 == frame.getInt(20);
            if (!same) {
                sum1 = before1;
                sum2 = before2;
            }
            return same;
        }

        private void checksum(ByteBuffer buffer, int from, int to) {
            buffer.order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
            for (int i = from; i < to; i += 8) {
                sum1 += buffer.getInt(i) + sum2;
                sum2 += buffer.getInt(i + 4) + sum1;
            }
            buffer.order(ByteOrder.BIG_ENDIAN);
        }

        private void read(long at, int length) throws IOException {
            frame.clear().limit(length);
            while (frame.hasRemaining()) {
                if (channel.read(frame, at + frame.position()) < 0) {
                    throw new IOException(
                            "file ended at byte " + (at + frame.position()) + " while being read");
                }
            }
        }

        private static boolean validPageSize(int bytes) {
            return bytes >= 512 && bytes <= 65536 && Integer.bitCount(bytes) == 1;
        }
    }
}
