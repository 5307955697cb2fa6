package io.sluice.api.quantity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.Seeds;
import io.sluice.api.object.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** Times, durations and int-or-string. */
class TimesTest {

    @ParameterizedTest
    @CsvSource({
        "2026-12-01T10:00:00Z, 2026-12-01T10:00:00Z, 2026-12-01T10:00:00.000000Z",
        "2026-12-01T10:00:00.5Z, 2026-12-01T10:00:00Z, 2026-12-01T10:00:00.500000Z",
        "2026-12-01T10:00:00.123456789Z, 2026-12-01T10:00:00Z, 2026-12-01T10:00:00.123456Z",
        "2026-12-01T10:00:00+02:00, 2026-12-01T08:00:00Z, 2026-12-01T08:00:00.000000Z",
        "2026-12-01T00:30:00-01:30, 2026-12-01T02:00:00Z, 2026-12-01T02:00:00.000000Z",
        "2024-02-29T23:59:59Z, 2024-02-29T23:59:59Z, 2024-02-29T23:59:59.000000Z",
    })
    void readsAndWritesTimes(String text, String seconds, String micros) {
        Instant time = Rfc3339.parse(text).orElseThrow();
        assertThat(Rfc3339.seconds(time)).isEqualTo(seconds);
        assertThat(Rfc3339.micros(time)).isEqualTo(micros);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "now",
                "2026-12-01",
                "2026-12-01T10:00Z",
                "2026-12-01 10:00:00Z",
                "2026-12-01t10:00:00z",
                "2026-13-01T10:00:00Z",
                "2025-02-29T10:00:00Z",
                "2026-12-01T24:00:00Z",
                "2026-12-01T10:00:60Z",
                "2026-12-01T10:00:00",
                "2026-12-01T10:00:00+0200",
                "+12026-12-01T10:00:00Z",
                "2026-12-01T10:00:00.Z",
                "2026-12-01T10:00:00Z ",
                "2026-12-01T10:00:00+25:00"
            })
    void refusesWhatIsNoTime(String text) {
        assertThat(Rfc3339.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "0s, 0s",
        "1s, 1s",
        "15m, 15m0s",
        "1h30m, 1h30m0s",
        "1.5s, 1.5s",
        "300ms, 300ms",
        "90s, 1m30s",
        "1h, 1h0m0s",
        "1ns, 1ns",
        "1us, 1µs",
        "1µs, 1µs",
        "1μs, 1µs",
        "1500us, 1.5ms",
        "-1.5h, -1h30m0s",
        "+5s, 5s",
        ".5s, 500ms",
        "1.s, 1s",
        "1h1m1.000000001s, 1h1m1.000000001s",
        "100h, 100h0m0s",
        "0.1ns, 0s",
        "2562047h47m16.854775807s, 2562047h47m16.854775807s",
    })
    void readsAndWritesDurations(String text, String canonical) {
        assertThat(GoDuration.parse(text).map(GoDuration::format)).contains(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "1",
                "s",
                "1d",
                "1 s",
                " 1s",
                "1s ",
                "1h 5m",
                "--1s",
                "1.2.3s",
                ".s",
                "1sx",
                "x1s",
                "9999999h",
                "1S",
                "1e3s"
            })
    void refusesWhatIsNoDuration(String text) {
        assertThat(GoDuration.parse(text)).isEmpty();
    }

    @Test
    void anyDurationSurvivesText() {
        Seeds.run(20, random -> {
            for (int i = 0; i < 500; i++) {
                Duration duration = Duration.ofNanos(random.nextLong() >> random.nextInt(64));
                assertThat(GoDuration.parse(GoDuration.format(duration))).contains(duration);
            }
        });
    }

    @Test
    void tellsNumbersFromTexts() throws IOException {
        JsonNode tree = Json.parseObject(
                "{\"a\":80,\"b\":\"http\",\"c\":1.5,\"d\":null,\"e\":99999999999,\"f\":\"80\"}");

        assertThat(IntOrString.of(tree.path("a"))).contains(new IntOrString.Int(80));
        assertThat(IntOrString.of(tree.path("b"))).contains(new IntOrString.Text("http"));
        assertThat(IntOrString.of(tree.path("f"))).contains(new IntOrString.Text("80"));
        assertThat(IntOrString.of(tree.path("c"))).isEmpty();
        assertThat(IntOrString.of(tree.path("d"))).isEmpty();
        assertThat(IntOrString.of(tree.path("e"))).isEmpty();
        assertThat(IntOrString.of(tree.path("missing"))).isEmpty();
    }
}
