package io.sluice.kernel;

import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * The bare binding. Each method is the libc function of its name; -1 means failure and {@link #errno} tells which.
 *
 * <p>jnr-ffi passes garbage as the sixth argument of a function whose six arguments are all primitive integers, so every such function
 * here has at least one {@link Pointer}.
 */
public interface LibC {
    LibC INSTANCE = LibraryLoader.create(LibC.class).load("c");
    Runtime RUNTIME = Runtime.getRuntime(INSTANCE);

    /** Of this thread's last failed call; meaningless after a success. */
    static int errno() {
        return RUNTIME.getLastError();
    }

    int socket(int domain, int type, int protocol);

    int bind(int fd, Pointer address, int length);

    int listen(int fd, int backlog);

    int accept4(int fd, Pointer address, Pointer length, int flags);

    int connect(int fd, Pointer address, int length);

    int getsockname(int fd, Pointer address, Pointer length);

    int setsockopt(int fd, int level, int name, Pointer value, int length);

    int getsockopt(int fd, int level, int name, Pointer value, Pointer length);

    int shutdown(int fd, int how);

    int close(int fd);

    long read(int fd, long buffer, long count);

    long write(int fd, long buffer, long count);

    long recvmsg(int fd, Pointer message, int flags);

    long sendmsg(int fd, Pointer message, int flags);

    long send(int fd, long buffer, long count, int flags);

    long recv(int fd, long buffer, long count, int flags);

    long splice(int fdIn, Pointer offsetIn, int fdOut, Pointer offsetOut, long count, int flags);

    int pipe2(Pointer fds, int flags);

    int fcntl(int fd, int command, int argument);

    int poll(Pointer fds, long count, int timeoutMs);

    int getrlimit(int resource, Pointer limit);

    int epoll_create1(int flags);

    int epoll_ctl(int epoll, int operation, int fd, Pointer event);

    int epoll_wait(int epoll, Pointer events, int most, int timeoutMs);
}
