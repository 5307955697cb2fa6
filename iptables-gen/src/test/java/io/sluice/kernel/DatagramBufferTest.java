package io.sluice.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Datagrams know both their addresses, and source filters are the kernel's to keep. */
class DatagramBufferTest {

    private static int bound(IpAddress address) throws KernelException {
        int fd = Sockets.udp(address.family());
        Sockets.bindUdp(fd, address, 0);
        return fd;
    }

    /** One socket on all addresses must answer from the one that was asked. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0, 127.0.0.1, 127.0.0.7", "::, ::1, ::1"})
    void answersComeFromTheAddressThatWasAsked(String all, String from, String to)
            throws Exception {
        DatagramBuffer buffer = new DatagramBuffer();
        int server = bound(IpAddress.of(all));
        int client = bound(IpAddress.of(from));
        try {
            int port = Sockets.localPort(server);
            int clientPort = Sockets.localPort(client);
            IpAddress none = IpAddress.of(all);
            assertThat(buffer.send(client, 5, none, IpAddress.of(to), port)).isEqualTo(5);

            await().until(() -> buffer.receive(server) == 5);
            assertThat(buffer.source()).isEqualTo(IpAddress.of(from));
            assertThat(buffer.sourcePort()).isEqualTo(clientPort);
            assertThat(buffer.destination()).isEqualTo(IpAddress.of(to));

            IpAddress asked = buffer.destination();
            assertThat(buffer.send(server, 3, asked, buffer.source(), clientPort))
                    .isEqualTo(3);
            await().until(() -> buffer.receive(client) == 3);
            assertThat(buffer.source()).isEqualTo(IpAddress.of(to));
            assertThat(buffer.sourcePort()).isEqualTo(port);
        } finally {
            Sockets.close(server);
            Sockets.close(client);
        }
    }

    private static boolean arrives(List<Cidr> allowed, String from) throws Exception {
        IpAddress source = IpAddress.of(from);
        boolean v4 = source.family() == IpFamily.IPV4;
        IpAddress target = IpAddress.of(v4 ? "127.0.0.1" : "::1");
        DatagramBuffer buffer = new DatagramBuffer();
        int server = bound(target);
        int client = bound(source);
        try {
            Sockets.attachFilter(server, ClassicBpf.sources(source.family(), allowed));
            buffer.send(client, 1, source, target, Sockets.localPort(server));
            // Loopback delivers within the call, so what is not there now never comes.
            return buffer.receive(server) == 1;
        } finally {
            Sockets.close(server);
            Sockets.close(client);
        }
    }

    @Test
    void filtersLetInTheirBlocksAlone() throws Exception {
        List<Cidr> blocks = List.of(
                Cidr.of("127.0.0.8/30"), Cidr.of("127.3.0.0/16"), Cidr.of("127.200.255.254/31"));
        assertThat(arrives(blocks, "127.0.0.7")).isFalse();
        assertThat(arrives(blocks, "127.0.0.8")).isTrue();
        assertThat(arrives(blocks, "127.0.0.11")).isTrue();
        assertThat(arrives(blocks, "127.0.0.12")).isFalse();
        assertThat(arrives(blocks, "127.3.255.1")).isTrue();
        assertThat(arrives(blocks, "127.4.0.0")).isFalse();
        assertThat(arrives(blocks, "127.200.255.254")).isTrue();
        assertThat(arrives(List.of(), "127.0.0.1")).isFalse();
        assertThat(arrives(List.of(Cidr.of("0.0.0.0/0")), "127.0.0.1")).isTrue();
        assertThat(arrives(List.of(Cidr.of("::/0")), "127.0.0.1")).isFalse();
    }

    @Test
    void filtersKnowLongAddresses() throws Exception {
        assertThat(arrives(List.of(Cidr.of("::1/128")), "::1")).isTrue();
        assertThat(arrives(List.of(Cidr.of("::/64")), "::1")).isTrue();
        assertThat(arrives(List.of(Cidr.of("::2/127"), Cidr.of("::/120")), "::1"))
                .isTrue();
        assertThat(arrives(List.of(Cidr.of("::2/128")), "::1")).isFalse();
        assertThat(arrives(List.of(Cidr.of("8000::/1")), "::1")).isFalse();
        assertThat(arrives(List.of(Cidr.of("::/0")), "::1")).isTrue();
    }
}
