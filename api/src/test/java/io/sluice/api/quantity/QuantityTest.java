package io.sluice.api.quantity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "00, 0",
        "0n, 0",
        "-0, 0",
        "0Ki, 0",
        "5, 5",
        "5000m, 5",
        "0.5, 500m",
        "1.08, 1080m",
        "1080000000n, 1080m",
        "0.001T, 1G",
        "1000M, 1G",
        "1.5, 1500m",
        "100m, 100m",
        "1000m, 1",
        "1001m, 1001m",
        "12E, 12E",
        "1000E, 1000E",
        "1234567M, 1234567M",
        "1025, 1025",
        "+1, 1",
        "-1, -1",
        "-1.5, -1500m",
        "1., 1",
        "1.G, 1G",
        ".001, 1m",
        ".0001k, 100m",
        "100k, 100k",
        "0.1k, 100",
        "1Ki, 1Ki",
        "1024Mi, 1Gi",
        "1025024Mi, 1001Gi",
        "0.5Mi, 512Ki",
        "1.5Gi, 1536Mi",
        "1023Ki, 1023Ki",
        "1Ei, 1Ei",
        ".001Ki, 1024m",
        ".000001Ki, 1024u",
        ".000000001Ki, 1024n",
        ".000000000001Ki, 2n",
        "100.035Ki, 102435840m",
        "-1Ki, -1Ki",
        "-.001Ki, -1024m",
        "1e3, 1e3",
        "1E3, 1e3",
        ".001e12, 1e9",
        "0.001e0, 1e-3",
        "1000e-12, 1e-9",
        "300e6, 300e6",
        "1e21, 1e21",
        "3.001n, 4n",
        "1.1E-9, 2e-9",
        "0.0000000001, 1n",
        "0.9n, 1n",
        "-0.9n, -1n",
        "0.00000012345, 124n",
        "9Ei, 9223372036854775807",
        "9223372036854775807Ki, 9223372036854775807",
        "-9Ei, -9223372036854775807",
        "9999999999999999999, 9223372036854775807",
    })
    void readsAndWritesAsKubernetes(String text, String canonical) {
        assertThat(Quantity.parse(text).map(Quantity::toString)).contains(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", ".", "-", "+", "1.1.M", "1+1.0M", "0.1mi", "0.1am", "aoeu", ".5i", "1i",
                "-3.01i", "-3.01e-", " 1", "1 ", "1K", "1e", "--1", "1KI", "1ki", "1e3Ki", "1_000",
                "0x10", "1e99999", "١"
            })
    void refusesWhatIsNoQuantity(String text) {
        assertThat(Quantity.parse(text)).isEmpty();
    }
}
