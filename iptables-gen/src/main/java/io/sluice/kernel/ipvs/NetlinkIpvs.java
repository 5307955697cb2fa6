package io.sluice.kernel.ipvs;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.ipvs.FoundServer;
import io.sluice.ipvs.Operation;
import io.sluice.ipvs.RealServer;
import io.sluice.ipvs.ServerAddress;
import io.sluice.ipvs.VirtualServer;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.netlink.Message;
import io.sluice.kernel.netlink.MessageWriter;
import io.sluice.kernel.netlink.NetlinkSocket;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The kernel's IPVS, by generic netlink.
 *
 * <pre>
 *   genlmsghdr (4)      command:1 version:1 reserved:2
 *   1 SERVICE           1 family:2  2 protocol:2  3 address:16  4 port:2be  6 scheduler  7 flags:4 mask:4  8 time-out:4  9 netmask:4
 *   2 DEST              1 address:16  2 port:2be  3 method:4  4 weight:4  5, 6 thresholds:4  7, 8 active, inactive:4  11 family:2
 *   4, 5, 6             time-outs of TCP, TCP after FIN, UDP:4
 * </pre>
 */
public final class NetlinkIpvs implements IpvsDoor {
    private static final int BUFFER = 1024 * 1024;
    private static final int HEADER = 4;
    private static final int CONTROLLER = 0x10;
    private static final int GET_FAMILY = 3;
    private static final int FAMILY_ID = 1;
    private static final int FAMILY_NAME = 2;

    private static final int NEW_SERVICE = 1;
    private static final int SET_SERVICE = 2;
    private static final int DEL_SERVICE = 3;
    private static final int GET_SERVICE = 4;
    private static final int NEW_DEST = 5;
    private static final int SET_DEST = 6;
    private static final int DEL_DEST = 7;
    private static final int GET_DEST = 8;
    private static final int SET_CONFIG = 12;
    private static final int GET_CONFIG = 13;

    private static final int SERVICE = 1;
    private static final int DEST = 2;
    private static final int TIMEOUT_TCP = 4;

    private static final int PERSISTENT = 0x1;
    private static final int SECOND_SCHEDULER_FLAG = 0x10;
    /** What we decide; the kernel's own flags stay. */
    private static final int OUR_FLAGS = PERSISTENT | 0x8 | SECOND_SCHEDULER_FLAG | 0x20;

    private static final int MASQUERADE = 0;

    private final NetlinkSocket socket;
    private final int family;
    private final MessageWriter out = new MessageWriter();

    private NetlinkIpvs(NetlinkSocket socket, int family) {
        this.socket = socket;
        this.family = family;
    }

    /** @throws KernelException ENOENT where this kernel has no IPVS and cannot load it */
    public static NetlinkIpvs open() throws KernelException {
        NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.GENERIC, "IPVS", BUFFER);
        try {
            return new NetlinkIpvs(socket, family(socket));
        } catch (KernelException e) {
            socket.close();
            throw e;
        }
    }

    private static int family(NetlinkSocket socket) throws KernelException {
        MessageWriter out = new MessageWriter();
        out.begin(CONTROLLER, MessageWriter.ACK, socket.nextSequence());
        out.u8(GET_FAMILY).u8(1).u16(0);
        out.text(FAMILY_NAME, "IPVS");
        out.end();
        int[] id = {0};
        socket.request(
                out,
                "find",
                "generic netlink family IPVS (module ip_vs)",
                reply -> reply.skip(HEADER).find(FAMILY_ID).ifPresent(at -> id[0] = at.u16(0)));
        return id[0];
    }

    private void begin(int command, int flags) {
        out.begin(family, flags, socket.nextSequence());
        out.u8(command).u8(1).u16(0);
    }

    @Override
    public List<FoundServer> servers(IpFamily wanted) throws KernelException {
        List<FoundServer> heads = new ArrayList<>();
        socket.dump(
                () -> {
                    heads.clear();
                    begin(GET_SERVICE, MessageWriter.DUMP);
                    out.end();
                },
                out,
                "IPVS virtual servers",
                message -> message.skip(HEADER)
                        .find(SERVICE)
                        .flatMap(service -> server(wanted, service))
                        .ifPresent(heads::add));
        List<FoundServer> all = new ArrayList<>();
        for (FoundServer head : heads) {
            all.add(new FoundServer(
                    head.at(),
                    head.scheduler(),
                    head.hashesPort(),
                    head.persistenceSeconds(),
                    realServers(head.at())));
        }
        all.sort((left, right) -> left.at().compareTo(right.at()));
        return all;
    }

    private static Optional<FoundServer> server(IpFamily wanted, Message service) {
        Optional<Message> address = service.find(3);
        Optional<Protocol> protocol = service.find(2).flatMap(at -> protocol(at.u16(0)));
        boolean ours = service.find(1).filter(at -> at.u16(0) == number(wanted)).isPresent();
        if (!ours || address.isEmpty() || protocol.isEmpty()) {
            return Optional.empty();
        }
        int flags = service.find(7).map(at -> at.u32(0)).orElse(0);
        return Optional.of(new FoundServer(
                new ServerAddress(
                        address(wanted, address.get()),
                        service.find(4).map(at -> at.u16be(0)).orElse(0),
                        protocol.get()),
                service.find(6).map(Message::text).orElse(""),
                (flags & SECOND_SCHEDULER_FLAG) != 0,
                (flags & PERSISTENT) == 0
                        ? 0
                        : service.find(8).map(at -> at.u32(0)).orElse(0),
                Map.of()));
    }

    private Map<RealServer, FoundServer.State> realServers(ServerAddress at)
            throws KernelException {
        Map<RealServer, FoundServer.State> found = new HashMap<>();
        try {
            socket.dump(
                    () -> {
                        found.clear();
                        begin(GET_DEST, MessageWriter.DUMP);
                        write(at);
                        out.end();
                    },
                    out,
                    "real servers of " + name(at),
                    message -> message.skip(HEADER)
                            .find(DEST)
                            .ifPresent(real -> read(at.address().family(), real, found)));
        } catch (KernelException e) {
            if (e.errno() != Errno.ESRCH) { // it went meanwhile
                throw e;
            }
        }
        return Map.copyOf(found);
    }

    private static void read(
            IpFamily family, Message real, Map<RealServer, FoundServer.State> found) {
        Optional<Message> address = real.find(1);
        Optional<Message> port = real.find(2);
        if (address.isPresent() && port.isPresent()) {
            found.put(
                    new RealServer(address(family, address.get()), port.get().u16be(0)),
                    new FoundServer.State(
                            number(real, 4),
                            unsigned(number(real, 7)) + unsigned(number(real, 8))));
        }
    }

    private static int number(Message in, int attribute) {
        return in.find(attribute).map(at -> at.u32(0)).orElse(0);
    }

    private static long unsigned(int value) {
        return Integer.toUnsignedLong(value);
    }

    @Override
    public void apply(Operation operation) throws KernelException {
        switch (operation) {
            case Operation.AddServer(VirtualServer server) -> server(NEW_SERVICE, "add", server);
            case Operation.EditServer(VirtualServer server) ->
                server(SET_SERVICE, "change", server);
            case Operation.DeleteServer(ServerAddress at) -> {
                start(DEL_SERVICE);
                write(at);
                finish("delete", "virtual server " + name(at));
            }
            case Operation.AddReal(ServerAddress at, RealServer real) ->
                real(NEW_DEST, "add", at, real, 1);
            case Operation.SetWeight(ServerAddress at, RealServer real, int weight) ->
                real(SET_DEST, "set weight " + weight + " of", at, real, weight);
            case Operation.DeleteReal(ServerAddress at, RealServer real) ->
                real(DEL_DEST, "delete", at, real, 0);
        }
    }

    private void server(int command, String call, VirtualServer server) throws KernelException {
        start(command);
        int service = openServer(server.at());
        boolean persistent = server.persistenceSeconds() > 0;
        int flags =
                (persistent ? PERSISTENT : 0) | (server.hashesPort() ? SECOND_SCHEDULER_FLAG : 0);
        out.text(6, server.scheduler().word());
        out.attribute(7, flags(flags));
        out.number32(8, server.persistenceSeconds());
        // Every client by itself: all bits of IPv4, the prefix's length for IPv6.
        out.number32(9, server.at().address().family() == IpFamily.IPV4 ? -1 : 128);
        out.close(service);
        finish(
                call,
                "virtual server " + name(server.at()) + ' ' + server.scheduler().word());
    }

    private static byte[] flags(int flags) {
        return java.nio.ByteBuffer.allocate(8)
                .order(java.nio.ByteOrder.nativeOrder())
                .putInt(flags)
                .putInt(OUR_FLAGS)
                .array();
    }

    private void real(int command, String call, ServerAddress at, RealServer real, int weight)
            throws KernelException {
        start(command);
        write(at);
        int dest = out.open(DEST);
        out.attribute(1, Arrays.copyOf(real.address().bytes(), 16));
        out.number16be(2, real.port());
        out.number32(3, MASQUERADE);
        out.number32(4, weight);
        out.number32(5, 0);
        out.number32(6, 0);
        out.number16(11, number(real.address().family()));
        out.close(dest);
        finish(call, "real server " + real.address().withPort(real.port()) + " of " + name(at));
    }

    private void start(int command) {
        out.clear();
        begin(command, MessageWriter.ACK);
    }

    private void finish(String call, String object) throws KernelException {
        out.end();
        socket.acknowledged(out, call, object);
    }

    private void write(ServerAddress at) {
        out.close(openServer(at));
    }

    private int openServer(ServerAddress at) {
        int service = out.open(SERVICE);
        out.number16(1, number(at.address().family()));
        out.number16(2, number(at.protocol()));
        out.attribute(3, Arrays.copyOf(at.address().bytes(), 16));
        out.number16be(4, at.port());
        return service;
    }

    @Override
    public Timeouts timeouts() throws KernelException {
        start(GET_CONFIG);
        out.end();
        List<Timeouts> found = new ArrayList<>();
        socket.request(out, "read", "IPVS time-outs", message -> {
            Message config = message.skip(HEADER);
            found.add(new Timeouts(
                    number(config, TIMEOUT_TCP),
                    number(config, TIMEOUT_TCP + 1),
                    number(config, TIMEOUT_TCP + 2)));
        });
        if (found.isEmpty()) {
            throw new KernelException("read", "IPVS time-outs", Errno.ENOENT);
        }
        return found.getFirst();
    }

    @Override
    public void setTimeouts(Timeouts timeouts) throws KernelException {
        start(SET_CONFIG);
        out.number32(TIMEOUT_TCP, timeouts.tcp());
        out.number32(TIMEOUT_TCP + 1, timeouts.tcpFin());
        out.number32(TIMEOUT_TCP + 2, timeouts.udp());
        finish("set", "IPVS time-outs to " + timeouts);
    }

    private static String name(ServerAddress at) {
        return at.address().withPort(at.port()) + '/' + at.protocol();
    }

    private static IpAddress address(IpFamily family, Message at) {
        return IpAddress.of(Arrays.copyOf(at.copy(), family == IpFamily.IPV4 ? 4 : 16));
    }

    private static int number(IpFamily family) {
        return switch (family) {
            case IPV4 -> 2;
            case IPV6 -> 10;
        };
    }

    private static int number(Protocol protocol) {
        return switch (protocol) {
            case TCP -> 6;
            case UDP -> 17;
            case SCTP -> 132;
        };
    }

    private static Optional<Protocol> protocol(int number) {
        return Arrays.stream(Protocol.values())
                .filter(each -> number(each) == number)
                .findFirst();
    }

    @Override
    public void close() {
        socket.close();
    }
}
