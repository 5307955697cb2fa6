package io.sluice.endpoints;

import static io.sluice.api.net.IpFamily.IPV4;
import static io.sluice.api.net.IpFamily.IPV6;
import static io.sluice.endpoints.AService.addresses;
import static io.sluice.endpoints.Views.NODE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Stream;

/** On which addresses node ports answer. */
class NodePortAddressesTest {
    private static final List<IpAddress> INTERFACES = addresses(
            "127.0.0.1", "192.0.2.1", "10.0.0.5", "10.0.0.5", "::1", "2001:db8:1::1", "fd00::5");

    static Stream<Arguments> selection() {
        String all = "all";
        return Stream.of(
                Arguments.of(List.of(), IPV4, all),
                Arguments.of(List.of(), IPV6, all),
                Arguments.of(List.of("primary"), IPV4, "[192.0.2.1]"),
                Arguments.of(List.of("primary"), IPV6, "[2001:db8:1::1]"),
                Arguments.of(List.of("10.0.0.0/8"), IPV4, "[10.0.0.5]"),
                Arguments.of(List.of("10.0.0.0/8"), IPV6, all),
                Arguments.of(List.of("10.0.0.0/8", "192.0.2.1/32"), IPV4, "[10.0.0.5, 192.0.2.1]"),
                Arguments.of(List.of("10.0.0.0/8", "0.0.0.0/0"), IPV4, all),
                Arguments.of(List.of("10.0.0.0/8", "fd00::/8"), IPV6, "[fd00::5]"),
                Arguments.of(List.of("::/0"), IPV6, all),
                Arguments.of(List.of("172.16.0.0/12"), IPV4, "[]"),
                Arguments.of(List.of("127.0.0.0/8"), IPV4, "[127.0.0.1]"));
    }

    @ParameterizedTest(name = "{0} in {1}: {2}")
    @MethodSource
    void selection(List<String> entries, IpFamily family, String expected) {
        NodePortAddresses addresses = NodePortAddresses.parse(entries);

        boolean all = addresses.matchesAll(family);
        assertThat(all).isEqualTo(expected.equals("all"));
        if (!all) {
            assertThat(addresses.select(family, NODE, INTERFACES)).hasToString(expected);
        }
        for (IpAddress address : INTERFACES) {
            if (address.family() == family) {
                assertThat(addresses.answersOn(address, NODE))
                        .as("%s answers", address)
                        .isEqualTo(all
                                || addresses.select(family, NODE, INTERFACES).contains(address));
            }
        }
    }

    @Test
    void theUsualChoiceIsAll() {
        assertThat(NodePortAddresses.parse(List.of())).isEqualTo(NodePortAddresses.ALL);
    }

    @Test
    void withoutPrimaryAddressOfTheFamilyNothingAnswers() {
        NodeView v4Only = new NodeView("node-1", "", addresses("192.0.2.1"));
        NodePortAddresses primary = NodePortAddresses.parse(List.of("primary"));

        assertThat(primary.select(IPV6, v4Only, INTERFACES)).isEmpty();
        assertThat(primary.answersOn(IpAddress.of("2001:db8:1::1"), v4Only)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "10.0.0.0/33", "eth0", "", "primary"})
    void badEntriesAreNamed(String entry) {
        assertThatThrownBy(() -> NodePortAddresses.parse(List.of("10.0.0.0/8", entry)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nodePortAddresses: \"" + entry + '"');
    }
}
