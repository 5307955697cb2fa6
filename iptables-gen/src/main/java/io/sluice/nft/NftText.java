package io.sluice.nft;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Writes tables and changes in nft's language. */
public final class NftText {
    private final IpFamily family;
    private final StringBuilder out = new StringBuilder();

    private NftText(IpFamily family) {
        this.family = family;
    }

    /** As {@code nft list table} prints it, more or less. */
    public static String of(NftTable table) {
        NftText text = new NftText(table.family());
        text.out
                .append("table ")
                .append(text.ip())
                .append(' ')
                .append(NftProgram.TABLE)
                .append(" {\n");
        for (SetSpec set : table.sets()) {
            text.set(set);
            List<String> elements = table.elements().stream()
                    .filter(element -> element.set().equals(set.name()))
                    .map(text::element)
                    .toList();
            if (!elements.isEmpty()) {
                text.out.append("\t\telements = { ");
                text.out.append(String.join(",\n\t\t             ", elements)).append(" }\n");
            }
            text.out.append("\t}\n\n");
        }
        for (Chain chain : table.chains()) {
            text.head(chain);
            chain.rules()
                    .forEach(rule ->
                            text.out.append("\t\t").append(text.rule(rule)).append('\n'));
            text.out.append("\t}\n\n");
        }
        return text.out.append("}\n").toString();
    }

    /** In the words of {@code nft}, one command a line; nft itself takes no {@code numgen} as part of a key of such a type. */
    public static String of(Transaction transaction) {
        NftText text = new NftText(transaction.family());
        return transaction.commands().stream()
                .map(text::command)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** The key of an element, in words. */
    public static String key(Element element) {
        SetSpec spec = NftProgram.spec(element.set());
        byte[] bytes = element.key().bytes();
        // The family shows in the length.
        int addresses = Math.toIntExact(
                spec.key().stream().filter(Field.ADDRESS::equals).count());
        boolean v4 = bytes.length == spec.keyBytes(IpFamily.IPV4);
        return new NftText(addresses == 0 || v4 ? IpFamily.IPV4 : IpFamily.IPV6)
                .keyOf(element, spec);
    }

    /** An element with its set and without its comment. */
    public static String line(IpFamily family, Element element) {
        return element.set() + ": "
                + new NftText(family)
                        .element(new Element(
                                element.set(),
                                element.key(),
                                element.keyEnd(),
                                element.data(),
                                ""));
    }

    private String ip() {
        return family == IpFamily.IPV4 ? "ip" : "ip6";
    }

    private void set(SetSpec set) {
        out.append('\t')
                .append(set.isMap() ? "map " : "set ")
                .append(set.name())
                .append(" {\n");
        out.append("\t\ttype ").append(types(set.key()));
        if (set.isMap()) {
            out.append(" : ").append(types(set.data()));
        }
        out.append('\n');
        if (set.ranges()) {
            out.append("\t\tflags interval\n");
        }
        if (set.timeoutSeconds() > 0) {
            out.append("\t\tflags dynamic,timeout\n\t\ttimeout ")
                    .append(set.timeoutSeconds())
                    .append("s\n");
        }
    }

    private String types(List<Field> fields) {
        return fields.stream().map(field -> field.type(family)).collect(Collectors.joining(" . "));
    }

    private void head(Chain chain) {
        out.append("\tchain ").append(chain.name()).append(" {\n");
        chain.hook()
                .ifPresent(hook -> out.append("\t\ttype ")
                        .append(hook.nat() ? "nat" : "filter")
                        .append(" hook ")
                        .append(hook.point().word())
                        .append(" priority ")
                        .append(hook.priority())
                        .append("; policy accept;\n"));
    }

    private String element(Element element) {
        SetSpec spec = NftProgram.spec(element.set());
        String text = keyOf(element, spec);
        if (!element.comment().isEmpty()) {
            text += " comment \"" + element.comment() + '"';
        }
        if (spec.isMap()) {
            text += " : "
                    + String.join(" . ", values(spec.data(), element.data().bytes()));
        }
        return text;
    }

    private String keyOf(Element element, SetSpec spec) {
        List<String> from = values(spec.key(), element.key().bytes());
        if (!element.keyEnd().equals(element.key())) {
            List<String> to = values(spec.key(), element.keyEnd().bytes());
            int last = from.size() - 1;
            from.set(last, range(from.get(last), to.get(last)));
        }
        return String.join(" . ", from);
    }

    /** A block where it is one, as nft prints it. */
    private static String range(String from, String to) {
        IpAddress first = IpAddress.of(from);
        for (int prefix = 0; prefix < first.family().bits(); prefix++) {
            if (new Cidr(first, prefix).last().toString().equals(to)) {
                return from + '/' + prefix;
            }
        }
        return from + '-' + to;
    }

    private List<String> values(List<Field> fields, byte[] bytes) {
        List<String> values = new ArrayList<>();
        int at = 0;
        for (Field field : fields) {
            byte[] value = Arrays.copyOfRange(bytes, at, at + field.bytes(family));
            values.add(
                    switch (field) {
                        case ADDRESS -> IpAddress.of(value).toString();
                        case PROTOCOL -> protocol(value[0] & 0xff);
                        case PORT -> String.valueOf((value[0] & 0xff) << 8 | value[1] & 0xff);
                        case NUMBER ->
                            "0x%08x"
                                    .formatted(ByteBuffer.wrap(value)
                                            .order(ByteOrder.nativeOrder())
                                            .getInt());
                    });
            at += field.room(family);
        }
        return values;
    }

    private static String protocol(int number) {
        return switch (number) {
            case 6 -> "tcp";
            case 17 -> "udp";
            case 132 -> "sctp";
            default -> String.valueOf(number);
        };
    }

    static String rule(IpFamily family, Rule rule) {
        return new NftText(family).rule(rule);
    }

    private String rule(Rule rule) {
        return rule.statements().stream().map(this::statement).collect(Collectors.joining(" "));
    }

    private String statement(Statement statement) {
        return switch (statement) {
            case Statement.In in -> key(in.key()) + (in.negated() ? " != @" : " @") + in.set();
            case Statement.Block block ->
                ip()
                        + (block.destination() ? " daddr " : " saddr ")
                        + (block.negated() ? "!= " : "")
                        + block.block();
            case Statement.InInterface in ->
                "iifname " + (in.negated() ? "!= " : "") + '"' + in.name()
                        + (in.prefix() ? "*\"" : "\"");
            case Statement.NewConnection any -> "ct state new";
            case Statement.Translated any -> "ct status dnat";
            case Statement.SourceLocal any -> "fib saddr type local";
            case Statement.Marked marked -> "meta mark & 0x%08x != 0".formatted(marked.mark());
            case Statement.SetMark set -> "meta mark set meta mark | 0x%08x".formatted(set.mark());
            case Statement.ToggleMark toggle ->
                "meta mark set meta mark ^ 0x%08x".formatted(toggle.mark());
            case Statement.Translate translate ->
                "dnat " + ip() + " to " + key(translate.key()) + " map @" + translate.map();
            case Statement.Pick pick ->
                "meta priority set " + key(pick.key()) + " map @" + pick.map();
            case Statement.Forget forget ->
                "delete @" + forget.map() + " { " + key(forget.key()) + " : meta priority }";
            case Statement.Remember remember ->
                "update @" + remember.map() + " { " + key(remember.key()) + " timeout "
                        + remember.seconds() + "s : meta priority }";
            case Statement.Masquerade any -> "masquerade fully-random";
            case Statement.Reject any -> "reject";
            case Statement.Drop any -> "drop";
            case Statement.Jump jump -> "jump " + jump.chain();
            case Statement.Goto go -> "goto " + go.chain();
        };
    }

    private String key(List<Operand> key) {
        return key.stream().map(this::operand).collect(Collectors.joining(" . "));
    }

    private String operand(Operand operand) {
        return switch (operand) {
            case Operand.Packet packet ->
                switch (packet) {
                    case SOURCE_ADDRESS -> ip() + " saddr";
                    case DESTINATION_ADDRESS -> ip() + " daddr";
                    case PROTOCOL -> "meta l4proto";
                    case DESTINATION_PORT -> "th dport";
                    case PRIORITY -> "meta priority";
                };
            case Operand.Random random -> "numgen random mod " + random.modulus();
        };
    }

    private String command(Command command) {
        String table = ip() + ' ' + NftProgram.TABLE;
        return switch (command) {
            case Command.AddTable any -> "add table " + table;
            case Command.DeleteTable any -> "delete table " + table;
            case Command.AddChain add ->
                "add chain " + table + ' ' + add.chain().name();
            case Command.FlushChain flush -> "flush chain " + table + ' ' + flush.chain();
            case Command.AddRule add ->
                "add rule " + table + ' ' + add.chain() + ' ' + rule(add.rule());
            case Command.AddSet add ->
                "add " + (add.set().isMap() ? "map " : "set ") + table + ' '
                        + add.set().name();
            case Command.DeleteSet delete -> "delete set " + table + ' ' + delete.set();
            case Command.AddElement add ->
                "add element " + table + ' ' + add.element().set() + " { " + element(add.element())
                        + " }";
            case Command.DeleteElement delete ->
                "delete element " + table + ' ' + delete.element().set() + " { "
                        + keyOf(
                                delete.element(),
                                NftProgram.spec(delete.element().set())) + " }";
        };
    }
}
