package io.sluice.api.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.Seeds;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;

/** Our reader and writer of addresses beside the JDK's. */
class IpTextPropertyTest {

    @Test
    void anyAddressSurvivesTextAndAgreesWithTheJdk() {
        Seeds.run(20, random -> {
            for (int i = 0; i < 500; i++) {
                byte[] bytes = bytes(random);
                IpAddress address = IpAddress.of(bytes);
                assertThat(address.bytes()).isEqualTo(bytes);
                assertThat(IpAddress.parse(address.toString())).contains(address);
                assertThat(jdk(address.toString()).getAddress()).isEqualTo(bytes);
                String longForm = address.toInetAddress().getHostAddress();
                assertThat(IpAddress.parse(longForm)).contains(address);
            }
        });
    }

    @Test
    void whatWeReadTheJdkReadsAlike() {
        Seeds.run(20, random -> {
            for (int i = 0; i < 2_000; i++) {
                String text = mangled(random);
                IpAddress.parse(text)
                        .ifPresent(address -> assertThat(
                                        InetAddress.ofLiteral(text).getAddress())
                                .as(text)
                                .isEqualTo(address.bytes()));
            }
        });
    }

    @Test
    void whatTheJdkReadsAsV6WeReadAlike() {
        Seeds.run(20, random -> {
            for (int i = 0; i < 2_000; i++) {
                String text = mangled(random);
                if (text.indexOf(':') >= 0) {
                    assertThat(IpAddress.parse(text).isPresent())
                            .as(text)
                            .isEqualTo(jdkReads(text));
                }
            }
        });
    }

    @Test
    void blocksContainExactlyTheAddressesThatShareTheirPrefix() {
        Seeds.run(20, random -> {
            for (int i = 0; i < 500; i++) {
                byte[] bytes = bytes(random);
                int bits = bytes.length * 8;
                int prefix = random.nextInt(bits + 1);
                byte[] other = bytes.clone();
                int flipped = random.nextInt(bits);
                other[flipped / 8] ^= (byte) (0x80 >>> flipped % 8);
                Cidr block = Cidr.of(IpAddress.of(bytes) + "/" + prefix);
                assertThat(block.contains(IpAddress.of(bytes))).isTrue();
                if (IpAddress.of(other).family() == block.family()) {
                    assertThat(block.contains(IpAddress.of(other))).isEqualTo(flipped >= prefix);
                }
                int sign = IpAddress.of(bytes).compareTo(IpAddress.of(other));
                assertThat(sign)
                        .isEqualTo(new BigInteger(1, bytes).compareTo(new BigInteger(1, other)));
            }
        });
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
        random.nextBytes(bytes);
        for (int i = 0; i + 1 < bytes.length; i += 2) {
            if (bytes.length == 16 && random.nextInt(5) < 3) {
                bytes[i] = 0;
                bytes[i + 1] = 0;
            }
        }
        boolean mapped = bytes.length == 16
                && IpAddress.of(bytes).high() == 0
                && bytes[10] == -1
                && bytes[11] == -1;
        return mapped ? new byte[] {1, 2, 3, 4} : bytes;
    }

    /** A right address with a few characters changed, added or lost. Leading zeros are ours alone, so none are made. */
    private static String mangled(Random random) {
        StringBuilder text = new StringBuilder(IpAddress.of(bytes(random)).toString());
        for (int edits = random.nextInt(4); edits > 0 && !text.isEmpty(); edits--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, "123456789abcf::..".charAt(random.nextInt(17)));
                default -> text.setCharAt(at, "123456789abcf::..g%".charAt(random.nextInt(19)));
            }
        }
        return text.toString();
    }

    private static boolean jdkReads(String text) {
        try {
            return text.indexOf('%') < 0 && InetAddress.ofLiteral(text).getAddress().length > 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static InetAddress jdk(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(text, e);
        }
    }
}
