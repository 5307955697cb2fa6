package io.sluice.api.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpTextTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "0.0.0.0, 0.0.0.0",
        "255.255.255.255, 255.255.255.255",
        "010.000.0.01, 10.0.0.1",
        "000000010.0.0.1, 10.0.0.1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:DB8::1, 2001:db8::1",
        "2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "::ffff:10.1.2.3, 10.1.2.3",
        "::ffff:0a01:0203, 10.1.2.3",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "fe80::, fe80::",
        "00001::000ff, 1::ff",
    })
    void readsAndWritesCanonically(String text, String canonical) {
        assertThat(IpAddress.parse(text).map(IpAddress::toString)).contains(canonical);
        assertThat(IpAddress.parse(canonical)).isEqualTo(IpAddress.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ".",
                ":",
                ":::",
                "1",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.4.",
                ".1.2.3.4",
                "1..2.3",
                "256.1.1.1",
                "1.2.3.-4",
                "+1.2.3.4",
                " 1.2.3.4",
                "1.2.3.4 ",
                "1.2.3.4/32",
                "0x10.0.0.1",
                "a.b.c.d",
                "localhost",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7::8",
                "1::2::3",
                "1:",
                ":1",
                ":1::2",
                "12345::",
                "g::1",
                "::1%eth0",
                "[::1]",
                "::1.2.3",
                "::1.2.3.4.5",
                "1:2:3:4:5:6:7:1.2.3.4",
                "1.2.3.4::",
                "1:::2",
                "::1:",
                "::-1",
                "١.٢.٣.٤",
                "::１",
            })
    void refusesWhatIsNoAddress(String text) {
        assertThat(IpAddress.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3/8, 10.0.0.0/8",
        "10.1.2.3/32, 10.1.2.3/32",
        "10.1.2.3/0, 0.0.0.0/0",
        "255.255.255.255/1, 128.0.0.0/1",
        "2001:db8:1:2:3::/48, 2001:db8:1::/48",
        "ffff::ffff/64, ffff::/64",
        "ffff::ffff/65, ffff::/65",
        "ffff::ffff/127, ffff::fffe/127",
        "ffff::ffff/128, ffff::ffff/128",
        "ffff::ffff/0, ::/0",
        "010.0.0.0/08, 10.0.0.0/8",
    })
    void readsBlocks(String text, String canonical) {
        assertThat(Cidr.parse(text).map(Cidr::toString)).contains(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "10.0.0.0",
                "10.0.0.0/",
                "10.0.0.0/33",
                "::/129",
                "10.0.0.0/-1",
                "10.0.0.0/a",
                "10.0.0.0/8/8",
                "x/8",
                "10.0.0.0/ 8",
                "10.0.0.0/9999999999"
            })
    void refusesWhatIsNoBlock(String text) {
        assertThat(Cidr.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.1, false",
        "0.0.0.0/0, 200.1.1.1, true",
        "0.0.0.0/0, ::1, false",
        "::/0, ::1, true",
        "::/0, 1.1.1.1, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fe00::1, false",
        "fd00::/96, fd00::1:2, true",
        "fd00::/96, fd00::1:0:0, false",
    })
    void containsByFamilyAndPrefix(String block, String address, boolean expected) {
        assertThat(Cidr.of(block).contains(IpAddress.of(address))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, loopback",
        "127.255.0.1, loopback",
        "::1, loopback",
        "0.0.0.0, unspecified",
        "::, unspecified",
        "169.254.1.1, link",
        "fe80::1, link",
        "febf::1, link",
        "224.0.0.1, multicast",
        "239.1.1.1, multicast",
        "ff02::1, multicast",
        "10.0.0.1, none",
        "fec0::1, none",
        "::2, none",
        "169.255.0.1, none",
        "240.0.0.1, none",
    })
    void knowsSpecialAddresses(String text, String kind) {
        IpAddress address = IpAddress.of(text);
        assertThat(address.isLoopback()).isEqualTo(kind.equals("loopback"));
        assertThat(address.isUnspecified()).isEqualTo(kind.equals("unspecified"));
        assertThat(address.isLinkLocal()).isEqualTo(kind.equals("link"));
        assertThat(address.isMulticast()).isEqualTo(kind.equals("multicast"));
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.1:80", "::1, [::1]:80"})
    void joinsAddressAndPort(String text, String expected) {
        assertThat(IpAddress.of(text).withPort(80)).isEqualTo(expected);
    }
}
