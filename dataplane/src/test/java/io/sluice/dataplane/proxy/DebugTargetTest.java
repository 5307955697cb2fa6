package io.sluice.dataplane.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DebugTargetTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:80, 10.0.0.1, 80, TCP",
        "10.0.0.1:53/udp, 10.0.0.1, 53, UDP",
        "[fd00::1]:443/TCP, fd00::1, 443, TCP",
        "10.0.0.1:65535/sctp, 10.0.0.1, 65535, SCTP"
    })
    void shouldReadTargets(String text, String address, int port, String protocol) {
        DebugPages.Target target = DebugPages.Target.parse(text).orElseThrow();

        assertThat(target.address()).hasToString(address);
        assertThat(target.port()).isEqualTo(port);
        assertThat(target.protocol()).hasToString(protocol);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "10.0.0.1",
                "10.0.0.1:",
                "10.0.0.1:x",
                "10.0.0.1:65536",
                "host:80",
                "10.0.0.1:80/icmp",
                "10.0.0.1:80/",
                "10.0.0.1:-1",
                ":80",
                "[]:80"
            })
    void shouldRefuseWhatIsNoTarget(String text) {
        assertThat(DebugPages.Target.parse(text)).isEmpty();
    }
}
