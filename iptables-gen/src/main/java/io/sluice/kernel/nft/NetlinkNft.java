package io.sluice.kernel.nft;

import io.sluice.api.net.IpFamily;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.netlink.Message;
import io.sluice.kernel.netlink.MessageWriter;
import io.sluice.kernel.netlink.NetlinkSocket;
import io.sluice.nft.Chain;
import io.sluice.nft.Command;
import io.sluice.nft.Element;
import io.sluice.nft.Field;
import io.sluice.nft.NftProgram;
import io.sluice.nft.SetSpec;
import io.sluice.nft.Transaction;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The kernel's nf_tables. A transaction is one datagram: the kernel takes or refuses it before the call that sends it returns. */
public final class NetlinkNft implements NftDoor {
    /** For 200,000 elements in one transaction. */
    private static final int BUFFER = 64 * 1024 * 1024;

    /** An attribute's length has 16 bits; an IPv6 element with a comment takes 400 bytes at most. */
    private static final int ELEMENTS_PER_MESSAGE = 150;

    private static final String PROBE = "sluice-probe-";
    private static final int NFPROTO_IPV4 = 2;
    private static final int NFPROTO_IPV6 = 10;
    /** The most clients that one affinity map remembers. */
    private static final int MOST_CLIENTS = 262_144;
    /** libnftables' {@code NFTNL_UDATA_SET_ELEM_COMMENT}, and the most that {@code nft} itself writes. */
    private static final int USERDATA_COMMENT = 0;

    private static final int MOST_COMMENT = 128;
    private static final int TYPE_BITS = 6;

    private final NetlinkSocket socket;
    private final String table;
    private final MessageWriter out = new MessageWriter();
    private final List<Sent> sent = new ArrayList<>();

    /** What a message was about. */
    private record Sent(int sequence, String call, Supplier<String> object) {}

    private NetlinkNft(NetlinkSocket socket, String table) {
        this.socket = socket;
        this.table = table;
    }

    public static NetlinkNft open() throws KernelException {
        return open(NftProgram.TABLE);
    }

    private static NetlinkNft open(String table) throws KernelException {
        return new NetlinkNft(
                NetlinkSocket.open(NetlinkSocket.NETFILTER, "nftables", BUFFER), table);
    }

    /**
     * Whether this kernel takes our program, and from us: makes an empty one under another name, and takes it away, in one transaction.
     *
     * @throws KernelException naming what was refused: EPERM tells of missing rights, ENOENT or EOPNOTSUPP of a missing feature
     */
    public static void probe(Transaction program) throws KernelException {
        List<Command> commands = new ArrayList<>(program.commands());
        commands.add(new Command.DeleteTable());
        try (NetlinkNft door = open(PROBE + ProcessHandle.current().pid())) {
            door.commit(new Transaction(program.family(), commands));
        }
    }

    @Override
    public void commit(Transaction transaction) throws KernelException {
        if (transaction.isEmpty()) {
            return;
        }
        out.clear();
        sent.clear();
        batch(Nf.BATCH_BEGIN);
        List<Command> commands = transaction.commands();
        int at = 0;
        while (at < commands.size()) {
            int end = run(commands, at);
            boolean last = end == commands.size();
            write(transaction.family(), commands.subList(at, end), last);
            at = end;
        }
        batch(Nf.BATCH_END);
        socket.send(out, "an nftables transaction of " + commands.size() + " commands");
        check();
    }

    /** Elements of one set go together. */
    private static int run(List<Command> commands, int from) {
        int most = Math.min(commands.size(), from + ELEMENTS_PER_MESSAGE);
        int end = from + 1;
        if (commands.get(from) instanceof Command.AddElement first) {
            String set = first.element().set();
            while (end < most
                    && commands.get(end) instanceof Command.AddElement next
                    && next.element().set().equals(set)) {
                end++;
            }
        } else if (commands.get(from) instanceof Command.DeleteElement first) {
            String set = first.element().set();
            while (end < most
                    && commands.get(end) instanceof Command.DeleteElement next
                    && next.element().set().equals(set)) {
                end++;
            }
        }
        return end;
    }

    private void batch(int type) {
        out.begin(type, 0, socket.nextSequence());
        out.u8(0).u8(0).u16be(Nf.SUBSYSTEM);
        out.end();
    }

    private void check() throws KernelException {
        List<NetlinkSocket.Answer> failed = new ArrayList<>();
        boolean[] acknowledged = {false};
        socket.answers(answer -> {
            if (answer.errno() != 0) {
                failed.add(answer);
            } else {
                acknowledged[0] = true;
            }
        });
        if (!failed.isEmpty()) {
            NetlinkSocket.Answer first = failed.getFirst();
            Sent about = sent.stream()
                    .filter(message -> message.sequence() == first.sequence())
                    .findFirst()
                    .orElse(new Sent(0, "commit", () -> "the transaction"));
            throw new KernelException(
                    "nftables: " + about.call(), about.object().get(), first.errno(), first.text());
        }
        if (!acknowledged[0]) {
            throw new KernelException("nftables: commit", "the transaction", Errno.EINVAL);
        }
    }

    private static int nfproto(IpFamily family) {
        return family == IpFamily.IPV4 ? NFPROTO_IPV4 : NFPROTO_IPV6;
    }

    private void begin(int type, int flags, IpFamily family, String call, String object) {
        begin(type, flags, family, call, () -> object);
    }

    private void begin(int type, int flags, IpFamily family, String call, Supplier<String> object) {
        int sequence = socket.nextSequence();
        out.begin(type, flags, sequence);
        out.u8(nfproto(family)).u8(0).u16be(0);
        sent.add(new Sent(sequence, call, object));
    }

    private void write(IpFamily family, List<Command> commands, boolean last) {
        int flags = last ? MessageWriter.ACK : 0;
        String in = family == IpFamily.IPV4 ? "ip " : "ip6 ";
        switch (commands.getFirst()) {
            case Command.AddTable any -> {
                begin(Nf.NEWTABLE, MessageWriter.CREATE | flags, family, "add table", in + table);
                out.text(Nf.TABLE_NAME, table);
            }
            case Command.DeleteTable any -> {
                begin(Nf.DELTABLE, flags, family, "delete table", in + table);
                out.text(Nf.TABLE_NAME, table);
            }
            case Command.AddChain add -> {
                begin(
                        Nf.NEWCHAIN,
                        MessageWriter.CREATE | flags,
                        family,
                        "add chain",
                        in + add.chain().name());
                chain(add.chain());
            }
            case Command.FlushChain flush -> {
                begin(Nf.DELRULE, flags, family, "flush chain", in + flush.chain());
                out.text(Nf.RULE_TABLE, table).text(Nf.RULE_CHAIN, flush.chain());
            }
            case Command.AddRule add -> {
                begin(
                        Nf.NEWRULE,
                        MessageWriter.CREATE | MessageWriter.APPEND | flags,
                        family,
                        "add rule to",
                        in + add.chain());
                out.text(Nf.RULE_TABLE, table).text(Nf.RULE_CHAIN, add.chain());
                new ExpressionWriter(out, family).write(add.rule());
            }
            case Command.AddSet add -> {
                begin(
                        Nf.NEWSET,
                        MessageWriter.CREATE | flags,
                        family,
                        "add set",
                        in + add.set().name());
                set(family, add.set());
            }
            case Command.DeleteSet delete -> {
                begin(Nf.DELSET, flags, family, "delete set", in + delete.set());
                out.text(Nf.SET_TABLE, table).text(Nf.SET_NAME, delete.set());
            }
            case Command.AddElement add -> {
                begin(
                        Nf.NEWSETELEM,
                        MessageWriter.CREATE | MessageWriter.EXCLUSIVE | flags,
                        family,
                        "add element to",
                        () -> in + describe(add.element(), commands.size()));
                elements(commands);
            }
            case Command.DeleteElement delete -> {
                begin(
                        Nf.DELSETELEM,
                        flags,
                        family,
                        "delete element from",
                        () -> in + describe(delete.element(), commands.size()));
                elements(commands);
            }
        }
        out.end();
    }

    private static String describe(Element element, int count) {
        String first = element.set() + ' ' + io.sluice.nft.NftText.key(element);
        return count == 1 ? first : first + " and " + (count - 1) + " more";
    }

    private void chain(Chain chain) {
        out.text(Nf.CHAIN_TABLE, table).text(Nf.CHAIN_NAME, chain.name());
        chain.hook().ifPresent(hook -> {
            int nest = out.open(Nf.CHAIN_HOOK);
            out.number32be(Nf.HOOK_HOOKNUM, hook.point().number());
            out.number32be(Nf.HOOK_PRIORITY, hook.priority());
            out.close(nest);
            out.number32be(Nf.CHAIN_POLICY, Nf.ACCEPT);
            out.text(Nf.CHAIN_TYPE, hook.nat() ? "nat" : "filter");
        });
    }

    private void set(IpFamily family, SetSpec set) {
        int flags = set.isMap() ? Nf.FLAG_MAP : 0;
        if (set.ranges()) {
            flags |= Nf.FLAG_INTERVAL | Nf.FLAG_CONCAT;
        }
        if (set.timeoutSeconds() > 0) {
            flags |= Nf.FLAG_TIMEOUT | Nf.FLAG_EVAL;
        }
        out.text(Nf.SET_TABLE, table).text(Nf.SET_NAME, set.name());
        out.number32be(Nf.SET_FLAGS, flags);
        out.number32be(Nf.SET_KEY_TYPE, type(set.key(), family));
        out.number32be(Nf.SET_KEY_LEN, set.keyBytes(family));
        if (set.isMap()) {
            out.number32be(Nf.SET_DATA_TYPE, type(set.data(), family));
            out.number32be(Nf.SET_DATA_LEN, set.dataBytes(family));
        }
        out.number32be(Nf.SET_ID, socket.nextSequence());
        if (set.timeoutSeconds() > 0) {
            out.number64be(Nf.SET_TIMEOUT, set.timeoutSeconds() * 1000L);
        }
        description(family, set);
    }

    private void description(IpFamily family, SetSpec set) {
        if (!set.ranges() && set.timeoutSeconds() == 0) {
            return;
        }
        int description = out.open(Nf.SET_DESC);
        if (set.timeoutSeconds() > 0) {
            out.number32be(Nf.DESC_SIZE, MOST_CLIENTS);
        }
        if (set.ranges()) {
            int concat = out.open(Nf.DESC_CONCAT);
            for (Field field : set.key()) {
                int one = out.open(Nf.LIST_ELEM);
                out.number32be(Nf.FIELD_LEN, field.bytes(family));
                out.close(one);
            }
            out.close(concat);
        }
        out.close(description);
    }

    /** libnftables' numbers of types, six bits each; they matter only to who prints them. */
    private static int type(List<Field> fields, IpFamily family) {
        int type = 0;
        for (Field field : fields) {
            int number = switch (field) {
                case ADDRESS -> family == IpFamily.IPV4 ? 7 : 8;
                case PROTOCOL -> 12;
                case PORT -> 13;
                case NUMBER -> 19;
            };
            type = type << TYPE_BITS | number;
        }
        return type;
    }

    private void elements(List<Command> commands) {
        Element first = element(commands.getFirst());
        out.text(Nf.ELEMS_TABLE, table).text(Nf.ELEMS_SET, first.set());
        int list = out.open(Nf.ELEMS_ELEMENTS);
        for (Command command : commands) {
            element(element(command), command instanceof Command.AddElement);
        }
        out.close(list);
    }

    private static Element element(Command command) {
        return command instanceof Command.AddElement add
                ? add.element()
                : ((Command.DeleteElement) command).element();
    }

    private void element(Element element, boolean added) {
        int one = out.open(Nf.LIST_ELEM);
        data(Nf.ELEM_KEY, element.key().bytes());
        if (!element.keyEnd().equals(element.key())) {
            data(Nf.ELEM_KEY_END, element.keyEnd().bytes());
        }
        if (added && element.data().bytes().length > 0) {
            data(Nf.ELEM_DATA, element.data().bytes());
        }
        if (added && !element.comment().isEmpty()) {
            out.attribute(Nf.ELEM_USERDATA, comment(element.comment()));
        }
        out.close(one);
    }

    private static byte[] comment(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, MOST_COMMENT - 1);
        byte[] out = new byte[2 + length + 1];
        out[0] = USERDATA_COMMENT;
        out[1] = (byte) (length + 1);
        System.arraycopy(utf8, 0, out, 2, length);
        return out;
    }

    private void data(int type, byte[] value) {
        out.nested(type, Nf.DATA_VALUE, value);
    }

    @Override
    public int generation() throws KernelException {
        out.clear();
        out.begin(Nf.GETGEN, MessageWriter.ACK, socket.nextSequence());
        out.u8(0).u8(0).u16be(0);
        out.end();
        int[] id = {0};
        socket.request(out, "nftables: get", "generation", reply -> {
            if (reply.type() == Nf.NEWGEN) {
                reply.skip(4).find(Nf.GEN_ID).ifPresent(found -> id[0] = found.u32be(0));
            }
        });
        return id[0];
    }

    @Override
    public Map<String, Integer> census(IpFamily family) throws KernelException {
        Map<String, Integer> counts = new TreeMap<>();
        try {
            dump(
                    family,
                    Nf.GETRULE,
                    Nf.RULE_TABLE,
                    "rules",
                    counts::clear,
                    message -> message.find(Nf.RULE_CHAIN)
                            .ifPresent(chain ->
                                    counts.merge("chain " + chain.text(), 1, Integer::sum)));
            List<String> sets = new ArrayList<>();
            dump(
                    family,
                    Nf.GETSET,
                    Nf.SET_TABLE,
                    "sets",
                    sets::clear,
                    message -> message.find(Nf.SET_NAME)
                            // What rules add to comes and goes by itself.
                            .filter(name -> message.find(Nf.SET_TIMEOUT).isEmpty())
                            .ifPresent(name -> sets.add(name.text())));
            for (String set : sets) {
                counts.put("set " + set, count(family, set));
            }
        } catch (KernelException e) {
            if (e.errno() == Errno.ENOENT) {
                return Map.of();
            }
            throw e;
        }
        return counts;
    }

    private int count(IpFamily family, String set) throws KernelException {
        int[] count = {0};
        each(family, set, () -> count[0] = 0, element -> count[0]++);
        return count[0];
    }

    @Override
    public List<Element> elements(IpFamily family) throws KernelException {
        List<Element> out = new ArrayList<>();
        for (String set : census(family).keySet()) {
            if (set.startsWith("set ")) {
                String name = set.substring(4);
                List<Element> found = new ArrayList<>();
                each(family, name, found::clear, element -> found.add(read(name, element)));
                out.addAll(found);
            }
        }
        return out;
    }

    private static Element read(String set, Message element) {
        byte[] key = value(element, Nf.ELEM_KEY).orElse(new byte[0]);
        return Element.of(
                set,
                key,
                value(element, Nf.ELEM_KEY_END).orElse(key),
                value(element, Nf.ELEM_DATA).orElse(new byte[0]));
    }

    private static Optional<byte[]> value(Message element, int attribute) {
        return element.find(attribute).flatMap(data -> data.find(Nf.DATA_VALUE)).map(Message::copy);
    }

    private void each(IpFamily family, String set, Runnable forget, Consumer<Message> visitor)
            throws KernelException {
        MessageWriter request = new MessageWriter();
        socket.dump(
                () -> {
                    forget.run();
                    header(request, Nf.GETSETELEM, family);
                    request.text(Nf.ELEMS_TABLE, table).text(Nf.ELEMS_SET, set);
                    request.end();
                },
                request,
                "elements of nftables set " + set,
                message -> message.skip(4)
                        .find(Nf.ELEMS_ELEMENTS)
                        .ifPresent(list -> list.forEach(visitor)));
    }

    private void dump(
            IpFamily family,
            int type,
            int tableAttribute,
            String what,
            Runnable forget,
            Consumer<Message> visitor)
            throws KernelException {
        MessageWriter request = new MessageWriter();
        socket.dump(
                () -> {
                    forget.run();
                    header(request, type, family);
                    request.text(tableAttribute, table);
                    request.end();
                },
                request,
                "nftables " + what + " of table " + table,
                message -> visitor.accept(message.skip(4)));
    }

    private void header(MessageWriter request, int type, IpFamily family) {
        request.begin(type, MessageWriter.DUMP, socket.nextSequence());
        request.u8(nfproto(family)).u8(0).u16be(0);
    }

    @Override
    public boolean deleteTable(IpFamily family, String name) throws KernelException {
        out.clear();
        sent.clear();
        batch(Nf.BATCH_BEGIN);
        begin(Nf.DELTABLE, MessageWriter.ACK, family, "delete table", name);
        out.text(Nf.TABLE_NAME, name);
        out.end();
        batch(Nf.BATCH_END);
        socket.send(out, "the deletion of nftables table " + name);
        try {
            check();
            return true;
        } catch (KernelException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
