package io.sluice.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import jnr.ffi.Pointer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Random;

/** The calls as the real kernel answers them, on loopback. */
class SocketsTest {
    private static final IpAddress LOOPBACK = IpAddress.of("127.0.0.1");

    private long openBefore;

    @BeforeEach
    void count() {
        openBefore = Descriptors.open();
    }

    @AfterEach
    void noDescriptorStaysOpen() {
        assertThat(Descriptors.open()).isEqualTo(openBefore);
    }

    /** Two connected TCP sockets. */
    private static final class Pair implements AutoCloseable {
        private final int listener;
        private final int near;
        private final int far;

        Pair(IpAddress address) throws KernelException {
            listener = Sockets.tcp(address.family());
            Sockets.listenTcp(listener, address, 0, 1);
            near = Sockets.tcp(address.family());
            assertThat(Sockets.connect(near, address, Sockets.localPort(listener)))
                    .isIn(0, Errno.EINPROGRESS);
            int[] accepted = {-1};
            await().until(() -> (accepted[0] = Sockets.accept(listener)) >= 0);
            far = accepted[0];
        }

        @Override
        public void close() {
            Sockets.close(listener);
            Sockets.close(near);
            Sockets.close(far);
        }
    }

    private static Pointer pointer(NativeBuffer buffer) {
        return Pointer.wrap(LibC.RUNTIME, buffer.address());
    }

    /**
     * splice(2) has six arguments, and jnr-ffi passes garbage as the sixth where all are primitive integers: garbage flags are EINVAL. A
     * count beyond 32 bits must not be cut, or nothing would be moved at all.
     */
    @Test
    void spliceMovesBytesWithACountBeyondThirtyTwoBits() throws Exception {
        byte[] sent = new byte[40_000];
        new Random(7).nextBytes(sent);
        NativeBuffer buffer = new NativeBuffer(sent.length);
        pointer(buffer).put(0, sent, 0, sent.length);
        long pipe = Sockets.pipe(1 << 20);
        int readEnd = (int) pipe;
        int writeEnd = (int) (pipe >>> 32);
        try (Pair pair = new Pair(LOOPBACK)) {
            assertThat(Sockets.write(pair.near, buffer.address(), sent.length))
                    .isEqualTo(sent.length);
            long moved = 0;
            while (moved < sent.length) {
                long n = Sockets.splice(pair.far, writeEnd, 1L << 32);
                assertThat(n).isPositive();
                moved += n;
            }
            assertThat(Sockets.splice(pair.far, writeEnd, 1L << 32)).isEqualTo(-Errno.EAGAIN);
            assertThat(Sockets.splice(readEnd, pair.far, moved)).isEqualTo(moved);
            byte[] back = new byte[sent.length];
            long got = 0;
            while (got < back.length) {
                long n = Sockets.read(pair.near, buffer.address(), back.length - got);
                assertThat(n).isPositive();
                pointer(buffer).get(0, back, (int) got, (int) n);
                got += n;
            }
            assertThat(back).isEqualTo(sent);
        } finally {
            Sockets.close(readEnd);
            Sockets.close(writeEnd);
        }
    }

    @Test
    void endAndResetAreTold() throws Exception {
        NativeBuffer buffer = new NativeBuffer(16);
        for (IpAddress address : new IpAddress[] {LOOPBACK, IpAddress.of("::1")}) {
            try (Pair pair = new Pair(address)) {
                assertThat(Sockets.read(pair.far, buffer.address(), 16)).isEqualTo(-Errno.EAGAIN);
                Sockets.shutdown(pair.near, Sockets.SHUT_WR);
                assertThat(Sockets.read(pair.far, buffer.address(), 16)).isZero();
            }
        }
        int listener = Sockets.tcp(IpFamily.IPV4);
        Sockets.listenTcp(listener, LOOPBACK, 0, 1);
        int near = Sockets.tcp(IpFamily.IPV4);
        Sockets.connect(near, LOOPBACK, Sockets.localPort(listener));
        int[] far = {-1};
        await().until(() -> (far[0] = Sockets.accept(listener)) >= 0);
        assertThat(Sockets.peer()).isEqualTo(LOOPBACK);
        Sockets.resetOnClose(near);
        Sockets.close(near);
        assertThat(Sockets.read(far[0], buffer.address(), 16)).isEqualTo(-Errno.ECONNRESET);
        Sockets.close(far[0]);
        Sockets.close(listener);
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        int first = Sockets.tcp(IpFamily.IPV4);
        int second = Sockets.tcp(IpFamily.IPV4);
        Sockets.listenTcp(first, LOOPBACK, 0, 1);
        int port = Sockets.localPort(first);
        assertThatThrownBy(() -> Sockets.listenTcp(second, LOOPBACK, port, 1))
                .isInstanceOf(KernelException.class)
                .hasMessageContaining("127.0.0.1:" + port + "/tcp")
                .hasMessageContaining("EADDRINUSE")
                .hasMessageContaining("another process");
        Sockets.close(first);
        Sockets.close(second);
    }

    @Test
    void epollTellsWhoIsReady() throws Exception {
        NativeBuffer buffer = new NativeBuffer(16);
        try (Epoll epoll = Epoll.open();
                Pair pair = new Pair(LOOPBACK)) {
            epoll.add(pair.far, Epoll.IN | Epoll.RDHUP);
            assertThat(epoll.poll()).isZero();
            Sockets.write(pair.near, buffer.address(), 3);
            assertThat(epoll.poll()).isEqualTo(1);
            assertThat(epoll.readyDescriptor(0)).isEqualTo(pair.far);
            assertThat(epoll.readyOps(0)).isEqualTo(Epoll.IN);
            Sockets.shutdown(pair.near, Sockets.SHUT_WR);
            assertThat(epoll.poll()).isEqualTo(1);
            assertThat(epoll.readyOps(0)).isEqualTo(Epoll.IN | Epoll.RDHUP);
            epoll.change(pair.far, 0);
            assertThat(epoll.poll()).isZero();
            assertThatThrownBy(() -> epoll.add(pair.far, Epoll.IN))
                    .isInstanceOf(KernelException.class)
                    .hasMessageContaining("descriptor " + pair.far)
                    .hasMessageContaining("EEXIST");
        }
    }

    @Test
    void theLimitOfDescriptorsIsKnown() {
        assertThat(Descriptors.limit()).isGreaterThan(Descriptors.budget() + 99);
    }
}
