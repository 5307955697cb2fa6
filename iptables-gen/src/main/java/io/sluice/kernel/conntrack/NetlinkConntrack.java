package io.sluice.kernel.conntrack;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.netlink.Message;
import io.sluice.kernel.netlink.MessageWriter;
import io.sluice.kernel.netlink.NetlinkSocket;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The kernel's connection tracking, by ctnetlink. UDP is asked for in the request, which kernels from 5.8 on obey; what older ones send
 * besides is passed over.
 *
 * <pre>
 *   nfgenmsg (4)        family:1 version:1 resource:2
 *   CTA_TUPLE_ORIG      CTA_TUPLE_IP [source, destination], CTA_TUPLE_PROTO [number, source port, destination port]
 *   CTA_TUPLE_REPLY     the same, as answers have it
 *   CTA_ID, CTA_ZONE    what tells one entry from another
 * </pre>
 */
public final class NetlinkConntrack implements ConntrackDoor {
    private static final int BUFFER = 1024 * 1024;
    private static final int SUBSYSTEM = 1 << 8;
    private static final int GET = SUBSYSTEM | 1;
    private static final int DELETE = SUBSYSTEM | 2;
    private static final int HEADER = 4;

    private static final int TUPLE_ORIG = 1;
    private static final int TUPLE_REPLY = 2;
    private static final int ID = 12;
    private static final int ZONE = 18;
    private static final int FILTER = 25;
    private static final int FILTER_ORIG_FLAGS = 1;
    private static final int FILTER_REPLY_FLAGS = 2;
    private static final int BY_PROTOCOL = 1 << 3;

    private static final int TUPLE_IP = 1;
    private static final int TUPLE_PROTO = 2;
    private static final int PROTO_NUM = 1;
    private static final int PROTO_SRC_PORT = 2;
    private static final int PROTO_DST_PORT = 3;
    private static final int UDP = 17;

    private final NetlinkSocket socket;
    private final MessageWriter out = new MessageWriter();

    private NetlinkConntrack(NetlinkSocket socket) {
        this.socket = socket;
    }

    public static NetlinkConntrack open() throws KernelException {
        return new NetlinkConntrack(
                NetlinkSocket.open(NetlinkSocket.NETFILTER, "conntrack", BUFFER));
    }

    @Override
    public int end(IpFamily family, Predicate<UdpFlow> unwanted) throws KernelException {
        List<UdpFlow> found = new ArrayList<>();
        socket.dump(
                () -> {
                    found.clear();
                    writeDump(family);
                },
                out,
                family.text() + " UDP flows",
                message ->
                        read(family, message.skip(HEADER)).filter(unwanted).ifPresent(found::add));
        int ended = 0;
        for (UdpFlow flow : found) {
            if (delete(family, flow)) {
                ended++;
            }
        }
        return ended;
    }

    private void begin(int type, int flags, IpFamily family) {
        out.begin(type, flags, socket.nextSequence());
        out.u8(nfproto(family)).u8(0).u16be(0);
    }

    private static int nfproto(IpFamily family) {
        return switch (family) {
            case IPV4 -> 2;
            case IPV6 -> 10;
        };
    }

    private void writeDump(IpFamily family) {
        begin(GET, MessageWriter.DUMP, family);
        int tuple = out.open(TUPLE_ORIG);
        int proto = out.open(TUPLE_PROTO);
        out.number8(PROTO_NUM, UDP);
        out.close(proto);
        out.close(tuple);
        int filter = out.open(FILTER);
        out.number32(FILTER_ORIG_FLAGS, BY_PROTOCOL);
        out.number32(FILTER_REPLY_FLAGS, 0);
        out.close(filter);
        out.end();
    }

    /** @return whether it was there: it may have ended by itself meanwhile */
    private boolean delete(IpFamily family, UdpFlow flow) throws KernelException {
        out.clear();
        begin(DELETE, MessageWriter.ACK, family);
        int tuple = out.open(TUPLE_ORIG);
        int ip = out.open(TUPLE_IP);
        out.attribute(sourceType(family), flow.client().bytes());
        out.attribute(sourceType(family) + 1, flow.to().bytes());
        out.close(ip);
        int proto = out.open(TUPLE_PROTO);
        out.number8(PROTO_NUM, UDP);
        out.number16be(PROTO_SRC_PORT, flow.clientPort());
        out.number16be(PROTO_DST_PORT, flow.toPort());
        out.close(proto);
        out.close(tuple);
        out.number32(ID, flow.id());
        if (flow.zone() != 0) {
            out.number16be(ZONE, flow.zone());
        }
        out.end();
        try {
            socket.acknowledged(out, "end", "UDP flow " + flow);
            return true;
        } catch (KernelException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    private static int sourceType(IpFamily family) {
        return switch (family) {
            case IPV4 -> 1;
            case IPV6 -> 3;
        };
    }

    /** One side of a flow. */
    private record Tuple(int protocol, IpAddress from, int fromPort, IpAddress to, int toPort) {}

    private static Optional<UdpFlow> read(IpFamily family, Message entry) {
        Optional<Tuple> original = entry.find(TUPLE_ORIG).flatMap(at -> tuple(family, at));
        Optional<Tuple> reply = entry.find(TUPLE_REPLY).flatMap(at -> tuple(family, at));
        if (original.isEmpty() || reply.isEmpty() || original.get().protocol() != UDP) {
            return Optional.empty();
        }
        return Optional.of(new UdpFlow(
                entry.find(ID).map(id -> id.u32(0)).orElse(0),
                entry.find(ZONE).map(zone -> zone.u16be(0)).orElse(0),
                original.get().from(),
                original.get().fromPort(),
                original.get().to(),
                original.get().toPort(),
                reply.get().from(),
                reply.get().fromPort()));
    }

    private static Optional<Tuple> tuple(IpFamily family, Message tuple) {
        Optional<Message> ip = tuple.find(TUPLE_IP);
        Optional<Message> proto = tuple.find(TUPLE_PROTO);
        if (ip.isEmpty() || proto.isEmpty()) {
            return Optional.empty();
        }
        Optional<IpAddress> from = address(ip.get(), sourceType(family));
        Optional<IpAddress> to = address(ip.get(), sourceType(family) + 1);
        if (from.isEmpty() || to.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Tuple(
                proto.get().find(PROTO_NUM).map(number -> number.u8(0)).orElse(0),
                from.get(),
                port(proto.get(), PROTO_SRC_PORT),
                to.get(),
                port(proto.get(), PROTO_DST_PORT)));
    }

    private static Optional<IpAddress> address(Message ip, int type) {
        return ip.find(type).map(bytes -> IpAddress.of(bytes.copy()));
    }

    private static int port(Message proto, int type) {
        return proto.find(type).map(port -> port.u16be(0)).orElse(0);
    }

    @Override
    public void close() {
        socket.close();
    }
}
