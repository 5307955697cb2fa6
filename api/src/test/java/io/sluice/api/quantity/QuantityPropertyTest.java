package io.sluice.api.quantity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.Seeds;

import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Random;

/** Quantities beside plain big decimals. */
class QuantityPropertyTest {
    private static final Map<String, BigDecimal> UNITS = Map.ofEntries(
            Map.entry("n", new BigDecimal("1e-9")),
            Map.entry("u", new BigDecimal("1e-6")),
            Map.entry("m", new BigDecimal("1e-3")),
            Map.entry("", BigDecimal.ONE),
            Map.entry("k", new BigDecimal("1e3")),
            Map.entry("M", new BigDecimal("1e6")),
            Map.entry("G", new BigDecimal("1e9")),
            Map.entry("T", new BigDecimal("1e12")),
            Map.entry("e-3", new BigDecimal("1e-3")),
            Map.entry("e5", new BigDecimal("1e5")),
            Map.entry("Ki", new BigDecimal(1L << 10)),
            Map.entry("Mi", new BigDecimal(1L << 20)),
            Map.entry("Gi", new BigDecimal(1L << 30)));

    /** A text with the amount it stands for. */
    private record Sample(String text, BigDecimal amount) {}

    @Test
    void keepsAmountThroughTextExactlyAndOrdersAsNumbers() {
        Seeds.run(20, random -> {
            Sample before = sample(random);
            for (int i = 0; i < 500; i++) {
                Sample sample = sample(random);
                Quantity quantity = Quantity.parse(sample.text).orElseThrow();
                assertThat(quantity.amount()).as(sample.text).isEqualByComparingTo(sample.amount);

                Quantity again = Quantity.parse(quantity.toString()).orElseThrow();
                assertThat(again.amount()).as(sample.text).isEqualByComparingTo(sample.amount);
                assertThat(again.toString()).as(sample.text).isEqualTo(quantity.toString());

                Quantity other = Quantity.parse(before.text).orElseThrow();
                assertThat(quantity.compareTo(other))
                        .isEqualTo(sample.amount.compareTo(before.amount));
                before = sample;
            }
        });
    }

    /** Amounts that need no more than nine decimals after the unit, so that nothing is rounded. */
    private static Sample sample(Random random) {
        String[] units = UNITS.keySet().stream().sorted().toArray(String[]::new);
        String unit = units[random.nextInt(units.length)];
        long whole = random.nextInt(random.nextBoolean() ? 2_000 : 2_000_000);
        boolean fraction = !unit.equals("n") && !unit.equals("u") && random.nextBoolean();
        String number = (random.nextInt(4) == 0 ? "-" : "")
                + whole
                + (fraction ? "." + random.nextInt(1_000) : "");
        return new Sample(number + unit, new BigDecimal(number).multiply(UNITS.get(unit)));
    }
}
