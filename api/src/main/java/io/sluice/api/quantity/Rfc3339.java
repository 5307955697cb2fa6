package io.sluice.api.quantity;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;

/** The API's two time formats: {@code Time} to the second, {@code MicroTime} to the microsecond. */
public final class Rfc3339 {
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

    /** Narrower than the JDK's reader, which takes times without seconds and lower case. */
    private static final Pattern TEXT = Pattern.compile(
            "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})");

    private Rfc3339() {}

    /** Any RFC 3339 time with offset and optional fraction; empty where it is none. */
    public static Optional<Instant> parse(String text) {
        if (!TEXT.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** {@code 2026-12-01T10:00:00Z}: fractions are cut. */
    public static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** {@code 2026-12-01T10:00:00.123456Z}: always six digits. */
    public static String micros(Instant time) {
        return MICROS.format(time.atOffset(ZoneOffset.UTC));
    }
}
