package io.sluice.api.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A bearer token in a file that others renew; read again every minute and after a refusal. Thread-safe. */
final class TokenFile implements ClientConfig.Credentials {
    private static final Duration FRESH = Duration.ofMinutes(1);

    private final Path file;
    private final Clock clock;
    private String token = "";
    private Instant readAt = Instant.EPOCH;

    TokenFile(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    @Override
    public synchronized Optional<String> authorization() throws IOException {
        Instant now = clock.instant();
        if (token.isEmpty() || readAt.plus(FRESH).isBefore(now)) {
            read();
            readAt = now;
        }
        return Optional.of("Bearer " + token);
    }

    /** While the file is being replaced the former token still serves. */
    private void read() throws IOException {
        try {
            String fresh = Files.readString(file).strip();
            if (!fresh.isEmpty()) {
                token = fresh;
            }
        } catch (IOException e) {
            if (token.isEmpty()) {
                throw new KubeConfigException("cannot read token file " + file + ": " + e, e);
            }
        }
        if (token.isEmpty()) {
            throw new KubeConfigException("token file " + file + " is empty");
        }
    }

    @Override
    public synchronized void rejected() {
        token = "";
    }
}
