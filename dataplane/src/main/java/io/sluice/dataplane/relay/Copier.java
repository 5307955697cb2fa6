package io.sluice.dataplane.relay;

import io.sluice.kernel.Errno;
import io.sluice.kernel.NativeBuffer;
import io.sluice.kernel.Sockets;

import java.util.concurrent.atomic.LongAdder;

/**
 * One direction of a connection. Small amounts are copied through the loop's buffer; a sender that fills it again and again is spliced
 * through a pipe. What the receiver does not take is kept, at most one read of it, and nothing more is read until it is gone: that is
 * the back-pressure. Owned by its loop.
 */
final class Copier {
    private static final int SMALL = 16 * 1024;
    /** So many bytes in full reads without a break make a large transfer. */
    private static final int LARGE_AFTER = 512 * 1024;
    /** A turn ends after so many bytes, so that others on the loop get theirs. */
    private static final long TURN = 4L << 20;

    private final RelayLoop loop;
    private final LongAdder counter;
    private final int from;
    private final int to;
    private int chunk = SMALL;
    private int streak;
    private NativeBuffer kept;
    private long keptAt;
    private long keptEnd;
    private PipePool.Pipe pipe;
    private long inPipe;
    private boolean hangup;
    private boolean drained;
    private boolean ended;
    private boolean broken;
    private boolean receiverGone;
    private int smallSplices;
    private boolean finished;

    Copier(RelayLoop loop, int from, int to, LongAdder counter) {
        this.loop = loop;
        this.from = from;
        this.to = to;
        this.counter = counter;
    }

    /** How a turn ended. */
    enum Outcome {
        /** Waits for one of the sockets. */
        WAITING,
        /** There is more to do right away. */
        AGAIN,
        /** The sender has ended, and all it sent is with the receiver: who is to be told with {@link #tellEnd}, or by closing. */
        ENDED,
        /** The receiver was reset: it takes no more. */
        RECEIVER_GONE,
        /** The sender was reset: the receiver must learn so too. */
        BROKEN
    }

    /** The sender has closed, maybe behind bytes not read yet. */
    void onHangup() {
        hangup = true;
    }

    /** Whether nothing will go this way any more. */
    boolean isFinished() {
        return finished;
    }

    /** The sender is gone, whatever its end looks like. */
    void endBroken() {
        broken = true;
        hangup = true;
    }

    void tellEnd() {
        Sockets.shutdown(to, Sockets.SHUT_WR);
    }

    /** Whether something is to be done once the receiver has room. */
    boolean hasWaiting() {
        return kept != null || inPipe > 0;
    }

    /** The sender has something to read again. */
    void onReadable() {
        drained = false;
    }

    /** Moves what can be moved now. */
    Outcome pump() {
        if (finished) {
            return Outcome.WAITING;
        }
        long moved = 0;
        while (moved < TURN) {
            boolean empty = flush();
            if (receiverGone) {
                return finish(Outcome.RECEIVER_GONE);
            }
            if (!empty) {
                return Outcome.WAITING;
            }
            if (ended) {
                return finish(broken ? Outcome.BROKEN : Outcome.ENDED);
            }
            if (drained && !hangup) {
                return Outcome.WAITING;
            }
            long n = pipe == null ? copy() : spliceIn();
            if (n > 0) {
                counter.add(n);
                moved += n;
            } else if (n == 0) {
                ended = true;
            } else if (n == -Errno.EAGAIN) {
                return Outcome.WAITING;
            } else if (n != -Errno.EINTR) {
                return finish(Outcome.BROKEN);
            }
        }
        return Outcome.AGAIN;
    }

    private long copy() {
        long n = Sockets.read(from, loop.buffer().address(), chunk);
        if (n <= 0) {
            streak = 0;
            return n;
        }
        drained = n < chunk;
        long written = 0;
        while (written < n) {
            long w = Sockets.write(to, loop.buffer().address() + written, n - written);
            if (w < 0) {
                if (w == -Errno.EINTR) {
                    continue;
                }
                if (w != -Errno.EAGAIN) {
                    receiverGone = true;
                    return n;
                }
                break;
            }
            written += w;
        }
        if (written < n) {
            keep(written, n);
        }
        adapt(n, written < n);
        return n;
    }

    private void keep(long written, long n) {
        kept = loop.takeBuffer((int) (n - written));
        kept.copyFrom(loop.buffer().address() + written, n - written);
        keptAt = 0;
        keptEnd = n - written;
    }

    private void adapt(long n, boolean stalled) {
        if (n < chunk) {
            streak = 0;
            return;
        }
        streak += (int) n;
        if (streak >= LARGE_AFTER) {
            loop.pipes().take().ifPresent(taken -> pipe = taken);
            streak = 0;
        }
        // A receiver that stalls is handed less at once, so that less has to be kept.
        chunk = stalled ? Math.max(chunk / 2, SMALL) : Math.min(chunk * 2, RelayLoop.BUFFER);
    }

    private long spliceIn() {
        if (smallSplices > 3) {
            release(); // the transfer is over: short messages are cheaper to copy
            return copy();
        }
        long n = Sockets.splice(from, pipe.writeEnd(), PipePool.CAPACITY);
        if (n > 0) {
            inPipe += n;
            smallSplices = n < SMALL ? smallSplices + 1 : 0;
        }
        return n;
    }

    /** Writes what is kept. @return whether nothing is left */
    private boolean flush() {
        if (receiverGone) {
            return false;
        }
        while (kept != null) {
            long w = Sockets.write(to, kept.address() + keptAt, keptEnd - keptAt);
            if (w < 0) {
                return w == -Errno.EINTR ? flush() : stopped(w);
            }
            keptAt += w;
            if (keptAt == keptEnd) {
                loop.giveBuffer(kept);
                kept = null;
            }
        }
        while (inPipe > 0) {
            long w = Sockets.splice(pipe.readEnd(), to, inPipe);
            if (w <= 0) {
                return w == -Errno.EINTR ? flush() : stopped(w);
            }
            inPipe -= w;
        }
        return true;
    }

    private boolean stopped(long result) {
        receiverGone = result != -Errno.EAGAIN;
        return false;
    }

    private Outcome finish(Outcome outcome) {
        finished = true;
        release();
        return outcome;
    }

    /** Gives the pipe back and drops what is kept. */
    void release() {
        if (kept != null) {
            loop.giveBuffer(kept);
            kept = null;
        }
        smallSplices = 0;
        if (pipe != null) {
            loop.pipes().give(pipe, inPipe == 0);
            pipe = null;
            inPipe = 0;
        }
    }
}
