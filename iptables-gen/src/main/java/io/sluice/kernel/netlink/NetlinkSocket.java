package io.sluice.kernel.netlink;

import io.sluice.kernel.Descriptors;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.LibC;
import io.sluice.kernel.Sockets;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

import java.util.function.Consumer;

/**
 * A netlink socket. The kernel answers a request before the call that sends it returns, so nothing here waits, but for
 * {@link #await}. Not thread-safe.
 */
public final class NetlinkSocket implements AutoCloseable {
    public static final int ROUTE = 0;
    public static final int NETFILTER = 12;
    public static final int GENERIC = 16;

    /** A message that only carries an error, or 0 for an acknowledgement. */
    static final int ERROR = 2;

    private static final int DONE = 3;
    private static final int DUMP_INTERRUPTED = 0x10;
    private static final int ACK_TLVS = 0x200;
    private static final int CAPPED = 0x100;
    private static final int MESSAGE_ATTRIBUTE = 1;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUFFORCE = 32;
    private static final int SO_RCVBUFFORCE = 33;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SOL_NETLINK = 270;
    private static final int NETLINK_ADD_MEMBERSHIP = 1;
    private static final int NETLINK_EXT_ACK = 11;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_TRUNC = 0x20;
    private static final int POLLIN = 1;
    private static final int BUFFER = 256 * 1024;
    private static final int MOST_DUMPS = 5;

    private final int descriptor;
    private final String name;
    private final Pointer receive = Memory.allocateDirect(LibC.RUNTIME, BUFFER);
    private final byte[] received = new byte[BUFFER];
    private Pointer send = Memory.allocateDirect(LibC.RUNTIME, 4096);
    private int sendCapacity = 4096;
    private int sequence;

    private NetlinkSocket(int descriptor, String name) {
        this.descriptor = descriptor;
        this.name = name;
    }

    /**
     * @param protocol {@link #ROUTE}, {@link #NETFILTER}, {@link #GENERIC}
     * @param name for errors: {@code nftables}
     * @param buffer bytes each way that may be under way
     */
    public static NetlinkSocket open(int protocol, String name, int buffer) throws KernelException {
        int fd = LibC.INSTANCE.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, protocol);
        if (fd < 0) {
            throw new KernelException("open", name + " socket", LibC.errno());
        }
        NetlinkSocket socket = new NetlinkSocket(Descriptors.opened(fd), name);
        // The forced ones need CAP_NET_ADMIN; without it the others give what the node allows.
        if (!socket.option(SOL_SOCKET, SO_SNDBUFFORCE, buffer)) {
            socket.option(SOL_SOCKET, SO_SNDBUF, buffer);
        }
        if (!socket.option(SOL_SOCKET, SO_RCVBUFFORCE, buffer)) {
            socket.option(SOL_SOCKET, SO_RCVBUF, buffer);
        }
        socket.option(
                SOL_NETLINK, NETLINK_EXT_ACK, 1); // before Linux 4.12 errors come without a text
        return socket;
    }

    private boolean option(int level, int option, int value) {
        Pointer memory = Memory.allocateDirect(LibC.RUNTIME, 4);
        memory.putInt(0, value);
        return LibC.INSTANCE.setsockopt(descriptor, level, option, memory, 4) == 0;
    }

    /** Hears from now on what is sent to this group. */
    public void join(int group) throws KernelException {
        if (!option(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)) {
            throw new KernelException("join", name + " group " + group, LibC.errno());
        }
    }

    /** A number for the next message; never 0. */
    public int nextSequence() {
        sequence = sequence == Integer.MAX_VALUE ? 1 : sequence + 1;
        return sequence;
    }

    /** What an answer said of one message. @param errno 0 for an acknowledgement @param text the kernel's own words; may be empty */
    public record Answer(int sequence, int errno, String text) {}

    /** Sends all that was written as one datagram. @param what for the error */
    public void send(MessageWriter messages, String what) throws KernelException {
        int length = messages.length();
        if (length > sendCapacity) {
            sendCapacity = Math.max(length, sendCapacity * 2);
            send = Memory.allocateDirect(LibC.RUNTIME, sendCapacity);
        }
        send.put(0, messages.bytes(), 0, length);
        while (LibC.INSTANCE.send(descriptor, send.address(), length, 0) < 0) {
            int errno = LibC.errno();
            if (errno != Errno.EINTR) {
                throw new KernelException("send", what, errno);
            }
        }
    }

    /**
     * Takes what has come, without waiting.
     *
     * @param visitor told of each message; not of {@code NLMSG_DONE}
     * @return how many there were
     * @throws KernelException ENOBUFS where messages were lost
     */
    public int drain(Consumer<Message> visitor) throws KernelException {
        int count = 0;
        while (true) {
            int n = receive(MSG_DONTWAIT);
            if (n == 0) {
                return count;
            }
            count += walk(n, visitor);
        }
    }

    /** Answers to what was sent last, all of which are there when {@link #send} returns. */
    public void answers(Consumer<Answer> visitor) throws KernelException {
        drain(message -> {
            if (message.type() == ERROR) {
                visitor.accept(answer(message));
            }
        });
    }

    /** Sends one message that asks for an acknowledgement, and checks it. @param call {@code add} @param object on what */
    public void acknowledged(MessageWriter message, String call, String object)
            throws KernelException {
        request(message, call, object, reply -> {});
    }

    /** As {@link #acknowledged}; what comes before the acknowledgement goes to the visitor. */
    public void request(
            MessageWriter message, String call, String object, Consumer<Message> visitor)
            throws KernelException {
        send(message, call + ' ' + object);
        Answer[] found = new Answer[1];
        drain(reply -> {
            if (reply.type() == ERROR) {
                found[0] = answer(reply);
            } else {
                visitor.accept(reply);
            }
        });
        if (found[0] == null) {
            throw new KernelException(call, object, Errno.EINVAL);
        }
        if (found[0].errno() != 0) {
            throw new KernelException(call, object, found[0].errno(), found[0].text());
        }
    }

    /**
     * Sends a request for all there are; constant memory. Where a change interrupted the dump, it is asked again, a few times.
     *
     * @param fresh writes the request anew, and forgets what an interrupted dump brought
     */
    public void dump(
            Runnable fresh, MessageWriter request, String object, Consumer<Message> visitor)
            throws KernelException {
        for (int turn = 1; ; turn++) {
            request.clear();
            fresh.run();
            send(request, "list " + object);
            if (dumpOnce(object, visitor) || turn >= MOST_DUMPS) {
                return;
            }
        }
    }

    /** @return whether it is complete */
    private boolean dumpOnce(String object, Consumer<Message> visitor) throws KernelException {
        boolean[] state = {true, false};
        Answer[] failed = new Answer[1];
        while (!state[1]) {
            int n = receive(0);
            walkAll(n, message -> {
                if ((message.flags() & DUMP_INTERRUPTED) != 0) {
                    state[0] = false;
                }
                if (message.type() == DONE) {
                    state[1] = true;
                    int errno = message.length() >= 4 ? -message.u32(0) : 0;
                    if (errno > 0) {
                        failed[0] = new Answer(message.sequence(), errno, "");
                    }
                } else if (message.type() == ERROR) {
                    failed[0] = answer(message);
                    state[1] = true;
                } else {
                    visitor.accept(message);
                }
            });
        }
        if (failed[0] != null && failed[0].errno() == Errno.EINTR) {
            return false;
        }
        if (failed[0] != null && failed[0].errno() != 0) {
            throw new KernelException("list", object, failed[0].errno(), failed[0].text());
        }
        return state[0];
    }

    /** @return whether something can be read within the time; also true at an error, which reading tells */
    public boolean await(int timeoutMs) {
        Pointer poll = Memory.allocateDirect(LibC.RUNTIME, 8);
        poll.putInt(0, descriptor);
        poll.putInt(4, POLLIN);
        return LibC.INSTANCE.poll(poll, 1, timeoutMs) > 0;
    }

    /** @return bytes, or 0 where nothing is there */
    private int receive(int flags) throws KernelException {
        while (true) {
            long n = LibC.INSTANCE.recv(descriptor, receive.address(), BUFFER, flags | MSG_TRUNC);
            if (n < 0) {
                int errno = LibC.errno();
                if (errno == Errno.EINTR) {
                    continue;
                }
                if (errno == Errno.EAGAIN) {
                    return 0;
                }
                throw new KernelException("receive from", name, errno);
            }
            int size = (int) Math.min(n, BUFFER);
            receive.get(0, received, 0, size);
            return size;
        }
    }

    private int walk(int n, Consumer<Message> visitor) {
        int[] count = {0};
        walkAll(n, message -> {
            if (message.type() != DONE) {
                count[0]++;
                visitor.accept(message);
            }
        });
        return count[0];
    }

    private void walkAll(int n, Consumer<Message> visitor) {
        int at = 0;
        while (at + MessageWriter.HEADER <= n) {
            int size = Message.intAt(received, at);
            if (size < MessageWriter.HEADER || at + size > n) {
                return;
            }
            visitor.accept(new Message(
                    received,
                    Message.shortAt(received, at + 4),
                    Message.shortAt(received, at + 6),
                    Message.intAt(received, at + 8),
                    at + MessageWriter.HEADER,
                    at + size));
            at += MessageWriter.align(size);
        }
    }

    /** {@code nlmsgerr}: error:4, the header of the request, then, where told so, attributes. */
    private static Answer answer(Message message) {
        int errno = -message.u32(0);
        String text = "";
        if ((message.flags() & ACK_TLVS) != 0) {
            int request = message.u32(4);
            boolean capped = (message.flags() & CAPPED) != 0;
            int skip = 4 + (capped ? MessageWriter.HEADER : MessageWriter.align(request));
            text = message.skip(skip).find(MESSAGE_ATTRIBUTE).map(Message::text).orElse("");
        }
        return new Answer(message.u32(12), errno, text);
    }

    /** For {@code epoll}, {@code poll}. */
    public int descriptor() {
        return descriptor;
    }

    @Override
    public void close() {
        Sockets.close(descriptor);
    }
}
