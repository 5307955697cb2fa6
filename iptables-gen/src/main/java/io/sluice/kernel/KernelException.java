package io.sluice.kernel;

import java.io.IOException;

/** The kernel refused a call. */
public final class KernelException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * @param call what was tried: {@code bind}
     * @param object on what: {@code 10.96.0.10:53/udp}
     */
    public KernelException(String call, String object, int errno) {
        super(call + ' ' + object + " failed: " + Errno.name(errno) + hint(errno));
        this.errno = errno;
    }

    /** As above. @param words what the kernel says itself; may be empty */
    public KernelException(String call, String object, int errno, String words) {
        super(call + ' ' + object + " failed: " + Errno.name(errno)
                + (words.isEmpty() ? hint(errno) : " (" + words + ')'));
        this.errno = errno;
    }

    private static String hint(int errno) {
        return switch (errno) {
            case Errno.EPERM, Errno.EACCES ->
                " (needs root, or CAP_NET_ADMIN / CAP_NET_BIND_SERVICE)";
            case Errno.EADDRINUSE -> " (another process has this port)";
            case Errno.EADDRNOTAVAIL -> " (the address is not local to this node)";
            case Errno.EMFILE, Errno.ENFILE -> " (too many open descriptors; raise ulimit -n)";
            default -> "";
        };
    }

    /** Whether the same call may work a little later. */
    public boolean isExhaustion() {
        return Errno.isExhaustion(errno);
    }

    public int errno() {
        return errno;
    }
}
