package io.sluice.kernel;

import java.util.Map;

/** Error numbers of Linux on x86-64 and arm64 ({@code include/uapi/asm-generic/errno*.h}). */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int ERANGE = 34;
    public static final int EMSGSIZE = 90;
    public static final int EPROTONOSUPPORT = 93;
    public static final int EOPNOTSUPP = 95;
    public static final int EAFNOSUPPORT = 97;
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EEXIST = 17;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int EPIPE = 32;
    public static final int ESRCH = 3;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETUNREACH = 101;
    public static final int ECONNABORTED = 103;
    public static final int ECONNRESET = 104;
    public static final int ENOBUFS = 105;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;
    public static final int EINPROGRESS = 115;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(EPERM, "EPERM"),
            Map.entry(ENOENT, "ENOENT"),
            Map.entry(EBUSY, "EBUSY"),
            Map.entry(ENODEV, "ENODEV"),
            Map.entry(ERANGE, "ERANGE"),
            Map.entry(EMSGSIZE, "EMSGSIZE"),
            Map.entry(EPROTONOSUPPORT, "EPROTONOSUPPORT"),
            Map.entry(EOPNOTSUPP, "EOPNOTSUPP"),
            Map.entry(EAFNOSUPPORT, "EAFNOSUPPORT"),
            Map.entry(EINTR, "EINTR"),
            Map.entry(EAGAIN, "EAGAIN"),
            Map.entry(ENOMEM, "ENOMEM"),
            Map.entry(EACCES, "EACCES"),
            Map.entry(EEXIST, "EEXIST"),
            Map.entry(EINVAL, "EINVAL"),
            Map.entry(ENFILE, "ENFILE"),
            Map.entry(EMFILE, "EMFILE"),
            Map.entry(EPIPE, "EPIPE"),
            Map.entry(ESRCH, "ESRCH"),
            Map.entry(EADDRINUSE, "EADDRINUSE"),
            Map.entry(EADDRNOTAVAIL, "EADDRNOTAVAIL"),
            Map.entry(ENETUNREACH, "ENETUNREACH"),
            Map.entry(ECONNABORTED, "ECONNABORTED"),
            Map.entry(ECONNRESET, "ECONNRESET"),
            Map.entry(ENOBUFS, "ENOBUFS"),
            Map.entry(ETIMEDOUT, "ETIMEDOUT"),
            Map.entry(ECONNREFUSED, "ECONNREFUSED"),
            Map.entry(EHOSTUNREACH, "EHOSTUNREACH"),
            Map.entry(EINPROGRESS, "EINPROGRESS"));

    private Errno() {}

    /** Whether the kernel has no room, so that the same call may work a little later. */
    public static boolean isExhaustion(int errno) {
        return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    }

    /** {@code ENOENT}, or {@code errno 512} where there is no name here. */
    public static String name(int errno) {
        return NAMES.getOrDefault(errno, "errno " + errno);
    }
}
