package io.sluice.kernel.conntrack;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import jnr.ffi.LibraryLoader;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Flows of a network namespace of the test's own. Needs root, iproute2 and nftables: without a rule the kernel follows nothing. */
class NetlinkConntrackIT {
    private static final int CLONE_NEWNET = 0x40000000;

    /** Only tests leave their namespace. */
    public interface Namespaces {
        int unshare(int flags);
    }

    private static void run(String input, String... words) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        try (var in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", String.join(" ", words), out).isZero();
    }

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void endsTheFlowsThatAreUnwantedAndNoOther(IpFamily family) throws Exception {
        FutureTask<Void> task = new FutureTask<>(() -> {
            Namespaces c = LibraryLoader.create(Namespaces.class).load("c");
            assertThat(c.unshare(CLONE_NEWNET)).as("unshare, as root").isZero();
            run("", "ip", "link", "set", "lo", "up");
            run("""
                    table inet t {
                      chain c {
                        type nat hook output priority -100;
                        udp dport 53 redirect to :5353
                      }
                    }
                    """, "nft", "-f", "-");
            check(family);
            return null;
        });
        Thread.ofPlatform().start(task);
        task.get();
    }

    private static void check(IpFamily family) throws Exception {
        String loopback = family == IpFamily.IPV4 ? "127.0.0.1" : "::1";
        IpAddress here = IpAddress.of(loopback);
        try (NetlinkConntrack conntrack = NetlinkConntrack.open();
                DatagramChannel client = DatagramChannel.open(
                        family == IpFamily.IPV4
                                ? StandardProtocolFamily.INET
                                : StandardProtocolFamily.INET6);
                ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getByName(loopback));
                Socket connection = new Socket(tcp.getInetAddress(), tcp.getLocalPort())) {
            client.bind(new InetSocketAddress(loopback, 0));
            int clientPort = ((InetSocketAddress) client.getLocalAddress()).getPort();
            for (int port : new int[] {53, 54}) {
                client.send(ByteBuffer.wrap(new byte[1]), new InetSocketAddress(loopback, port));
            }
            assertThat(connection.isConnected()).isTrue();

            List<UdpFlow> seen = new ArrayList<>();
            assertThat(conntrack.end(family, flow -> {
                        seen.add(flow);
                        return flow.toPort() == 53;
                    }))
                    .isEqualTo(1);
            assertThat(seen)
                    .extracting(UdpFlow::client, UdpFlow::clientPort, UdpFlow::to)
                    .containsOnly(org.assertj.core.api.Assertions.tuple(here, clientPort, here));
            assertThat(seen)
                    .extracting(UdpFlow::toPort, UdpFlow::answersFromPort, UdpFlow::redirected)
                    .containsExactlyInAnyOrder(
                            org.assertj.core.api.Assertions.tuple(53, 5353, true),
                            org.assertj.core.api.Assertions.tuple(54, 54, false));
            List<Integer> left = new ArrayList<>();
            assertThat(conntrack.end(family, flow -> {
                        left.add(flow.toPort());
                        return false;
                    }))
                    .isZero();
            assertThat(left).containsExactly(54);
        }
    }
}
