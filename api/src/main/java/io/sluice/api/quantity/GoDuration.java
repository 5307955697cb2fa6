package io.sluice.api.quantity;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as component configurations write them: {@code 1h30m}, {@code 1.5s}, {@code 300ms}, {@code 0}. */
public final class GoDuration {
    private static final Pattern PART =
            Pattern.compile("([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)");

    private GoDuration() {}

    /** Empty where the text is no duration or does not fit 64 bits of nanoseconds. */
    public static Optional<Duration> parse(String text) {
        boolean negative = text.startsWith("-");
        String rest = negative || text.startsWith("+") ? text.substring(1) : text;
        if (rest.equals("0")) {
            return Optional.of(Duration.ZERO);
        }
        Matcher matcher = PART.matcher(rest);
        BigDecimal nanos = BigDecimal.ZERO;
        int end = 0;
        while (end < rest.length()
                && rest.length() <= 100
                && matcher.find()
                && matcher.start() == end) {
            nanos = nanos.add(new BigDecimal(matcher.group(1))
                    .multiply(BigDecimal.valueOf(unit(matcher.group(2)))));
            end = matcher.end();
        }
        if (end == 0
                || end != rest.length()
                || nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            return Optional.empty();
        }
        long value = nanos.setScale(0, RoundingMode.DOWN).longValueExact();
        return Optional.of(Duration.ofNanos(negative ? -value : value));
    }

    private static long unit(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 1_000L; // the three spellings of microseconds
        };
    }

    /** {@code 1h30m0s}, {@code 1.5s}, {@code 300ms}; zero is {@code 0s}. */
    public static String format(Duration duration) {
        if (duration.isZero()) {
            return "0s";
        }
        String sign = duration.isNegative() ? "-" : "";
        Duration rest = duration.abs();
        if (rest.compareTo(Duration.ofSeconds(1)) < 0) {
            long nanos = rest.toNanos();
            if (nanos < 1_000) {
                return sign + nanos + "ns";
            }
            boolean micros = nanos < 1_000_000;
            return sign + plain(nanos, micros ? 1_000 : 1_000_000) + (micros ? "µs" : "ms");
        }
        StringBuilder out = new StringBuilder(sign);
        long hours = rest.toHours();
        if (hours > 0) {
            out.append(hours).append('h');
        }
        if (rest.toMinutes() > 0) {
            out.append(rest.toMinutesPart()).append('m');
        }
        long nanos = rest.toSecondsPart() * 1_000_000_000L + rest.toNanosPart();
        return out.append(plain(nanos, 1_000_000_000L)).append('s').toString();
    }

    private static String plain(long nanos, long unit) {
        BigDecimal value = BigDecimal.valueOf(nanos).divide(BigDecimal.valueOf(unit));
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }
}
