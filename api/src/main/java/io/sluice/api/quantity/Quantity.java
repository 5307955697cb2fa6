package io.sluice.api.quantity;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An amount of a resource, exact to 10^-9: {@code 100m}, {@code 1Gi}, {@code 1e3}.
 *
 * @param amount in base units
 */
public record Quantity(BigDecimal amount, Format format) implements Comparable<Quantity> {
    private static final Pattern TEXT = Pattern.compile(
            "([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+))(?:([eE][+-]?[0-9]{1,3})|([KMGTPE]i|[numkMGTPE])?)");
    private static final String[] BINARY = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final Map<Integer, String> DECIMAL = Map.of(
            -9, "n", -6, "u", -3, "m", 0, "", 3, "k", 6, "M", 9, "G", 12, "T", 15, "P", 18, "E");
    private static final BigInteger KIBI = BigInteger.valueOf(1024);
    private static final BigInteger THOUSAND = BigInteger.valueOf(1000);
    private static final int NANO = 9;
    private static final int EXACT_DIGITS = 18;
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

    /** How the amount is written; an amount read from text keeps its text's. */
    public enum Format {
        DECIMAL_SI,
        BINARY_SI,
        DECIMAL_EXPONENT
    }

    /**
     * Empty where the text is no quantity. Digits beyond 10^-9 round away from zero; binary amounts, and those written with more
     * than 18 digits, are cut at 2^63-1, as Kubernetes does.
     */
    public static Optional<Quantity> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (text.length() > 100 || !matcher.matches()) {
            return Optional.empty();
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        String exponent = matcher.group(2);
        String suffix = matcher.group(3) == null ? "" : matcher.group(3);
        if (exponent != null) {
            int power = Integer.parseInt(exponent.substring(1));
            return Optional.of(new Quantity(decimal(number, power), Format.DECIMAL_EXPONENT));
        }
        if (suffix.endsWith("i")) {
            int power = java.util.Arrays.asList(BINARY).indexOf(suffix);
            BigDecimal amount = cut(round(number.multiply(new BigDecimal(KIBI.pow(power)))));
            boolean fraction = amount.signum() != 0 && amount.abs().compareTo(BigDecimal.ONE) < 0;
            return Optional.of(
                    new Quantity(amount, fraction ? Format.DECIMAL_SI : Format.BINARY_SI));
        }
        int power = DECIMAL.entrySet().stream()
                .filter(entry -> entry.getValue().equals(suffix))
                .findFirst()
                .orElseThrow()
                .getKey();
        return Optional.of(new Quantity(decimal(number, power), Format.DECIMAL_SI));
    }

    private static BigDecimal decimal(BigDecimal number, int power) {
        BigDecimal amount = round(number.scaleByPowerOfTen(power));
        return number.precision() > EXACT_DIGITS ? cut(amount) : amount;
    }

    private static BigDecimal round(BigDecimal amount) {
        return amount.scale() > NANO ? amount.setScale(NANO, RoundingMode.UP) : amount;
    }

    private static BigDecimal cut(BigDecimal amount) {
        return amount.abs().compareTo(MOST) <= 0
                ? amount
                : amount.signum() < 0 ? MOST.negate() : MOST;
    }

    @Override
    public int compareTo(Quantity other) {
        return amount.compareTo(other.amount);
    }

    /** The canonical text: no fraction, the largest suffix that allows it. */
    @Override
    public String toString() {
        if (amount.signum() == 0) {
            return "0";
        }
        // Below 1024 and for fractions a binary suffix would only lose digits, so Kubernetes writes
        // such amounts in decimal.
        boolean binary = format == Format.BINARY_SI
                && amount.abs().compareTo(BigDecimal.valueOf(1024)) >= 0
                && amount.stripTrailingZeros().scale() <= 0;
        return binary ? binaryText() : decimalText();
    }

    private String binaryText() {
        BigInteger number = amount.toBigIntegerExact();
        int power = 0;
        while (power < BINARY.length - 1 && number.mod(KIBI).signum() == 0) {
            number = number.divide(KIBI);
            power++;
        }
        return number + BINARY[power];
    }

    private String decimalText() {
        BigInteger number = amount.setScale(NANO, RoundingMode.UP).unscaledValue();
        boolean exponent = format == Format.DECIMAL_EXPONENT;
        int power = -NANO;
        while ((exponent || power < 18) && number.mod(THOUSAND).signum() == 0) {
            number = number.divide(THOUSAND);
            power += 3;
        }
        return number + (exponent ? power == 0 ? "" : "e" + power : DECIMAL.get(power));
    }
}
