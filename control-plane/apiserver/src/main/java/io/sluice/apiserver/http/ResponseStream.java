package io.sluice.apiserver.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * An answer written piece by piece. The first {@value #GZIP_FROM} bytes are held back where the client takes gzip, to see whether it
 * pays. Closing completes the answer; what is dropped without it leaves the client with an incomplete one.
 */
public final class ResponseStream extends OutputStream {
    private static final int GZIP_FROM = 128 * 1024;
    private static final int PIECE = 32 * 1024;

    private final Answer answer;
    private final int code;
    private final String contentType;
    private final boolean gzipAccepted;
    private byte[] buffer = new byte[1024];
    private int length;
    private boolean begun;
    private boolean closed;
    private Optional<GZIPOutputStream> gzip = Optional.empty();

    ResponseStream(Answer answer, int code, String contentType, boolean gzipAccepted) {
        this.answer = answer;
        this.code = code;
        this.contentType = contentType;
        this.gzipAccepted = gzipAccepted;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        if (gzip.isPresent()) {
            gzip.get().write(bytes, offset, count);
            return;
        }
        hold(bytes, offset, count);
        if (gzipAccepted && !begun) {
            if (length >= GZIP_FROM) {
                beginCompressed();
            }
        } else if (length >= PIECE) {
            flush();
        }
    }

    private void hold(byte[] bytes, int offset, int count) {
        if (length + count > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + count));
        }
        System.arraycopy(bytes, offset, buffer, length, count);
        length += count;
    }

    private void beginCompressed() throws IOException {
        answer.headers().set("Content-Encoding", "gzip").set("Vary", "Accept-Encoding");
        answer.begin(code, contentType);
        begun = true;
        byte[] held = buffer;
        int count = length;
        reset();
        FastGzip out = new FastGzip(new Pieces());
        gzip = Optional.of(out);
        out.write(held, 0, count);
    }

    private void reset() {
        buffer = new byte[1024];
        length = 0;
    }

    /** Sends what is held, head first. */
    @Override
    public void flush() throws IOException {
        if (gzip.isPresent()) {
            return;
        }
        if (!begun) {
            answer.begin(code, contentType);
            begun = true;
        }
        if (length > 0) {
            byte[] piece = buffer;
            int count = length;
            reset();
            answer.send(piece, count);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (!begun) {
            answer.whole(code, contentType, Arrays.copyOf(buffer, length));
            return;
        }
        if (gzip.isPresent()) {
            gzip.get().finish();
            gzip.get().flush();
        } else {
            flush();
        }
        answer.end();
    }

    /** Level 1: the network here is fast, the processor is what is short. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 8192);
            def.setLevel(1);
        }
    }

    /** Gathers compressed bytes into pieces. */
    private final class Pieces extends OutputStream {
        private byte[] piece = new byte[PIECE];
        private int count;

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int size) throws IOException {
            int done = 0;
            while (done < size) {
                int step = Math.min(size - done, PIECE - count);
                System.arraycopy(bytes, offset + done, piece, count, step);
                count += step;
                done += step;
                if (count == PIECE) {
                    flush();
                }
            }
        }

        @Override
        public void flush() throws IOException {
            if (count > 0) {
                byte[] full = piece;
                int size = count;
                piece = new byte[PIECE];
                count = 0;
                answer.send(full, size);
            }
        }
    }
}
