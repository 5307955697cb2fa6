package io.sluice.kernel;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

/**
 * Tells when an address of any interface comes or goes, from rtnetlink's notifications. One daemon thread, which calls the listener;
 * several changes in one read make one call.
 */
public final class AddressMonitor implements AutoCloseable {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    /** {@code RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR}. */
    private static final int ADDRESS_GROUPS = 0x10 | 0x100;

    private static final int POLLIN = 1;

    private final int netlink;
    private final int wakeRead;
    private final int wakeWrite;
    private final Runnable listener;
    private final Thread thread;

    private AddressMonitor(int netlink, long pipe, Runnable listener) {
        this.netlink = netlink;
        this.wakeRead = (int) pipe;
        this.wakeWrite = (int) (pipe >>> 32);
        this.listener = listener;
        this.thread = Thread.ofPlatform().daemon().name("address-monitor").unstarted(this::run);
    }

    public static AddressMonitor start(Runnable listener) throws KernelException {
        int fd = LibC.INSTANCE.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, 0);
        if (fd < 0) {
            throw new KernelException("open", "rtnetlink socket", LibC.errno());
        }
        Descriptors.opened(fd);
        Pointer address = Memory.allocateDirect(LibC.RUNTIME, 12);
        address.putShort(0, (short) AF_NETLINK);
        address.putShort(2, (short) 0);
        address.putInt(4, 0);
        address.putInt(8, ADDRESS_GROUPS);
        if (LibC.INSTANCE.bind(fd, address, 12) < 0) {
            int errno = LibC.errno();
            Sockets.close(fd);
            throw new KernelException("subscribe to", "address changes", errno);
        }
        AddressMonitor monitor = new AddressMonitor(fd, Sockets.pipe(4096), listener);
        monitor.thread.start();
        return monitor;
    }

    private void run() {
        Pointer fds = Memory.allocateDirect(LibC.RUNTIME, 16);
        NativeBuffer buffer = new NativeBuffer(16 * 1024);
        while (true) {
            fds.putInt(0, netlink);
            fds.putInt(4, POLLIN);
            fds.putInt(8, wakeRead);
            fds.putInt(12, POLLIN);
            int ready = LibC.INSTANCE.poll(fds, 2, -1);
            if (ready < 0 && LibC.errno() == Errno.EINTR) {
                continue;
            }
            if (ready < 0 || fds.getShort(14) != 0) {
                break;
            }
            // What changed is not read: the listener looks at all addresses, and ENOBUFS (missed
            // messages) asks for the same.
            LibC.INSTANCE.recv(netlink, buffer.address(), buffer.capacity(), 0);
            listener.run();
        }
        Sockets.close(netlink);
        Sockets.close(wakeRead);
    }

    @Override
    public void close() {
        Sockets.close(wakeWrite); // the reading end turns readable, which ends the thread
    }
}
