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
    private Instant readAt = Instant.MIN;

    TokenFile(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    @Override
    public synchronized Optional<String> authorization() throws IOException {
        Instant now = clock.instant();
        if (token.isEmpty() || readAt.plus(FRESH).isBefore(now)) {
            token = Files.readString(file).strip();
            readAt = now;
            if (token.isEmpty()) {
                throw new KubeConfigException("token file " + file + " is empty");
            }
        }
        return Optional.of("Bearer " + token);
    }

    @Override
    public synchronized void rejected() {
        token = "";
    }
}
