package io.sluice.kernel;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

/**
 * A set of descriptors that tells which of them are ready. Used by one thread.
 *
 * <pre>
 *   epoll_event  events:4 data:8                on x86-64, packed
 *                events:4 pad:4 data:8          elsewhere
 * </pre>
 */
public final class Epoll implements AutoCloseable {
    public static final int IN = 0x001;
    public static final int OUT = 0x004;
    public static final int ERR = 0x008;
    public static final int HUP = 0x010;
    public static final int RDHUP = 0x2000;
    /** Told once per change, not as long as it lasts. */
    public static final int EDGE = 1 << 31;

    private static final int CLOEXEC = 0x80000;
    private static final int ADD = 1;
    private static final int MODIFY = 3;
    private static final int MOST = 256;
    private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");
    private static final int SIZE = PACKED ? 12 : 16;
    private static final int DATA = PACKED ? 4 : 8;

    private final int descriptor;
    private final Pointer ready = Memory.allocateDirect(LibC.RUNTIME, SIZE * MOST);
    private final Pointer event = Memory.allocateDirect(LibC.RUNTIME, SIZE);

    private Epoll(int descriptor) {
        this.descriptor = descriptor;
    }

    public static Epoll open() throws KernelException {
        int fd = LibC.INSTANCE.epoll_create1(CLOEXEC);
        if (fd < 0) {
            throw new KernelException("open", "epoll set", LibC.errno());
        }
        return new Epoll(Descriptors.opened(fd));
    }

    /** For another set to wait on. */
    public int descriptor() {
        return descriptor;
    }

    /** Closing the descriptor takes it out again. */
    public void add(int fd, int ops) throws KernelException {
        control(ADD, fd, ops, "watch");
    }

    public void change(int fd, int ops) throws KernelException {
        control(MODIFY, fd, ops, "change the watch on");
    }

    private void control(int operation, int fd, int ops, String call) throws KernelException {
        event.putInt(0, ops);
        event.putLong(DATA, fd);
        if (LibC.INSTANCE.epoll_ctl(descriptor, operation, fd, event) < 0) {
            throw new KernelException(call, "descriptor " + fd, LibC.errno());
        }
    }

    /** Looks without waiting. @return how many are ready, or minus errno */
    public int poll() {
        int n = LibC.INSTANCE.epoll_wait(descriptor, ready, MOST, 0);
        return n < 0 ? -LibC.errno() : n;
    }

    /** Of the last {@link #poll}. */
    public int readyDescriptor(int index) {
        return ready.getInt((long) index * SIZE + DATA);
    }

    /** Of the last {@link #poll}. */
    public int readyOps(int index) {
        return ready.getInt((long) index * SIZE);
    }

    @Override
    public void close() {
        Sockets.close(descriptor);
    }
}
