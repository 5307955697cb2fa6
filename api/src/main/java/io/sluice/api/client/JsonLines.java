package io.sluice.api.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Cuts a stream into lines, of at most {@value #MOST_BYTES} bytes each. */
final class JsonLines implements AutoCloseable {
    /** Twice what etcd takes for one object, for its JSON form. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;

    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int position;
    private int end;

    JsonLines(InputStream in) {
        this.in = in;
    }

    /** The next line that is not blank; empty at the end of the stream. @throws IOException also for a cut line */
    Optional<byte[]> next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(0);
        while (true) {
            if (position == end) {
                end = Math.max(in.read(buffer), 0);
                position = 0;
                if (end == 0) {
                    if (line.size() > 0) {
                        throw new IOException("the stream ended within an event");
                    }
                    return Optional.empty();
                }
            }
            int from = position;
            while (position < end && buffer[position] != '\n') {
                position++;
            }
            line.write(buffer, from, position - from);
            if (line.size() > MOST_BYTES) {
                throw new IOException("an event is larger than " + MOST_BYTES + " bytes");
            }
            if (position < end) {
                position++;
                if (line.size() > 0) {
                    return Optional.of(line.toByteArray());
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
