package io.sluice.kernel;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

/**
 * Checked socket calls. All sockets are non-blocking and closed on exec. Constants are those of Linux ({@code include/uapi/linux} and
 * {@code asm-generic/socket.h}), the same on x86-64 and arm64. Thread-safe; each thread has its own scratch memory.
 */
public final class Sockets {
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_REUSEADDR = 2;
    private static final int SO_ERROR = 4;
    private static final int SO_RCVBUF = 8;
    private static final int SO_KEEPALIVE = 9;
    private static final int SO_LINGER = 13;
    private static final int SO_REUSEPORT = 15;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int SO_DETACH_FILTER = 27;
    private static final int IPPROTO_IP = 0;
    private static final int IP_PKTINFO = 8;
    private static final int IP_FREEBIND = 15;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_NODELAY = 1;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_V6ONLY = 26;
    private static final int IPV6_RECVPKTINFO = 49;
    private static final int F_SETPIPE_SZ = 1031;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int SPLICE_F_MOVE_NONBLOCK = 1 | 2;
    private static final int MSG_NOSIGNAL = 0x4000;

    /** For {@link #shutdown}: no more from us. */
    public static final int SHUT_WR = 1;

    private static final LibC C = LibC.INSTANCE;
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private Sockets() {}

    /** Native memory for one call at a time. */
    private static final class Scratch {
        private final SocketAddress address = new SocketAddress();
        private final Pointer option = Memory.allocateDirect(LibC.RUNTIME, 16);
    }

    public static int tcp(IpFamily family) throws KernelException {
        return open(family, SOCK_STREAM, "TCP");
    }

    public static int udp(IpFamily family) throws KernelException {
        return open(family, SOCK_DGRAM, "UDP");
    }

    private static int open(IpFamily family, int type, String name) throws KernelException {
        int fd = C.socket(SocketAddress.domain(family), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            throw new KernelException("socket", family.text() + ' ' + name, LibC.errno());
        }
        return Descriptors.opened(fd);
    }

    /** Ready for {@link #accept}: reuses the address, and binds IPv6 without IPv4. */
    public static void listenTcp(int fd, IpAddress address, int port, int backlog)
            throws KernelException {
        String object = address.withPort(port) + "/tcp";
        set(fd, SOL_SOCKET, SO_REUSEADDR, 1, object);
        bind(fd, address, port, object);
        check(C.listen(fd, backlog), "listen", object);
    }

    /** Ready to receive; learns at which address each datagram came in. */
    public static void bindUdp(int fd, IpAddress address, int port) throws KernelException {
        String object = address.withPort(port) + "/udp";
        boolean v4 = address.family() == IpFamily.IPV4;
        set(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_PKTINFO : IPV6_RECVPKTINFO, 1, object);
        bind(fd, address, port, object);
    }

    private static void bind(int fd, IpAddress address, int port, String object)
            throws KernelException {
        if (address.family() == IpFamily.IPV6) {
            set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1, object);
        }
        SocketAddress target = SCRATCH.get().address.set(address, port);
        check(C.bind(fd, target.memory(), target.length()), "bind", object);
    }

    /** Lets the socket bind an address that is not there yet. */
    public static void freeBind(int fd) throws KernelException {
        set(fd, IPPROTO_IP, IP_FREEBIND, 1, "descriptor " + fd);
    }

    /**
     * Lets two of our sockets have one port where one is bound to all addresses and the other to one of them; the kernel then prefers the
     * latter. Both must say so, before the second binds.
     */
    public static void sharePort(int fd) throws KernelException {
        set(fd, SOL_SOCKET, SO_REUSEPORT, 1, "descriptor " + fd);
    }

    public static void receiveBuffer(int fd, int bytes) throws KernelException {
        set(fd, SOL_SOCKET, SO_RCVBUF, bytes, "descriptor " + fd);
    }

    /** @return the new descriptor, or minus errno; the peer is in {@link #peer} until this thread's next call */
    public static int accept(int fd) {
        SocketAddress peer = SCRATCH.get().address.clear();
        int accepted =
                C.accept4(fd, peer.memory(), peer.lengthPointer(), SOCK_NONBLOCK | SOCK_CLOEXEC);
        return accepted < 0 ? -LibC.errno() : Descriptors.opened(accepted);
    }

    /** Who was accepted last by this thread. */
    public static IpAddress peer() {
        return SCRATCH.get().address.address();
    }

    /** Starts to connect. @return 0, or errno; {@code EINPROGRESS} is the usual one */
    public static int connect(int fd, IpAddress address, int port) {
        SocketAddress target = SCRATCH.get().address.set(address, port);
        return C.connect(fd, target.memory(), target.length()) == 0 ? 0 : LibC.errno();
    }

    public static int localPort(int fd) throws KernelException {
        SocketAddress address = SCRATCH.get().address.clear();
        check(
                C.getsockname(fd, address.memory(), address.lengthPointer()),
                "getsockname",
                "descriptor " + fd);
        return address.port();
    }

    /** The socket's pending error, which this clears; 0 for none. */
    public static int error(int fd) {
        Pointer option = SCRATCH.get().option;
        option.putInt(0, 0);
        option.putInt(8, 4);
        return C.getsockopt(fd, SOL_SOCKET, SO_ERROR, option, option.slice(8)) == 0
                ? option.getInt(0)
                : LibC.errno();
    }

    /** No waiting for more bytes to fill a segment. */
    public static void noDelay(int fd) {
        trySet(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    }

    public static void keepAlive(int fd) {
        trySet(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    }

    /** Makes {@link #close} send a reset. */
    public static void resetOnClose(int fd) {
        Pointer option = SCRATCH.get().option;
        option.putInt(0, 1);
        option.putInt(4, 0);
        C.setsockopt(fd, SOL_SOCKET, SO_LINGER, option, 8);
    }

    /** Packets the program refuses never reach the socket. Accepted sockets inherit it. */
    public static void attachFilter(int fd, ClassicBpf program) throws KernelException {
        check(
                C.setsockopt(
                        fd,
                        SOL_SOCKET,
                        SO_ATTACH_FILTER,
                        program.sockFprog(),
                        ClassicBpf.SOCK_FPROG_SIZE),
                "attach source filter to",
                "descriptor " + fd);
    }

    /** Also right where no filter is attached. */
    public static void detachFilter(int fd) {
        trySet(fd, SOL_SOCKET, SO_DETACH_FILTER, 0);
    }

    private static void set(int fd, int level, int name, int value, String object)
            throws KernelException {
        Pointer option = SCRATCH.get().option;
        option.putInt(0, value);
        check(
                C.setsockopt(fd, level, name, option, 4),
                "setsockopt " + level + ':' + name + " on",
                object);
    }

    private static void trySet(int fd, int level, int name, int value) {
        Pointer option = SCRATCH.get().option;
        option.putInt(0, value);
        C.setsockopt(fd, level, name, option, 4);
    }

    /** @return whether the peer could be told */
    public static boolean shutdown(int fd, int how) {
        return C.shutdown(fd, how) == 0;
    }

    public static void close(int fd) {
        C.close(fd);
        Descriptors.closed();
    }

    /** @return bytes read, 0 at the end of the stream, or minus errno */
    public static long read(int fd, long buffer, long count) {
        long n = C.read(fd, buffer, count);
        return n < 0 ? -LibC.errno() : n;
    }

    /** @return bytes written, or minus errno; never raises SIGPIPE */
    public static long write(int fd, long buffer, long count) {
        long n = C.send(fd, buffer, count, MSG_NOSIGNAL);
        return n < 0 ? -LibC.errno() : n;
    }

    /** One datagram from a connected socket. @return its length, or minus errno */
    public static long receive(int fd, long buffer, long count) {
        long n = C.recv(fd, buffer, count, 0);
        return n < 0 ? -LibC.errno() : n;
    }

    /** Between a socket and a pipe, without the heap. @return bytes moved, 0 at the end of the stream, or minus errno */
    public static long splice(int from, int to, long count) {
        long n = C.splice(from, null, to, null, count, SPLICE_F_MOVE_NONBLOCK);
        return n < 0 ? -LibC.errno() : n;
    }

    /** Reading end in the low, writing end in the high 32 bits. @param bytes capacity wished for; less is taken too */
    public static long pipe(int bytes) throws KernelException {
        Pointer option = SCRATCH.get().option;
        check(C.pipe2(option, O_NONBLOCK | O_CLOEXEC), "pipe", "for splice");
        int readEnd = Descriptors.opened(option.getInt(0));
        int writeEnd = Descriptors.opened(option.getInt(4));
        C.fcntl(writeEnd, F_SETPIPE_SZ, bytes); // unprivileged users may get less; any size works
        return (long) writeEnd << 32 | readEnd & 0xffffffffL;
    }

    private static void check(int result, String call, String object) throws KernelException {
        if (result < 0) {
            throw new KernelException(call, object, LibC.errno());
        }
    }
}
