package io.sluice.kernel.nft;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;
import io.sluice.kernel.netlink.MessageWriter;
import io.sluice.nft.Operand;
import io.sluice.nft.Rule;
import io.sluice.nft.Statement;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes a rule as the kernel's expressions. They work on sixteen registers of four bytes; a key lies in consecutive ones.
 *
 * <p>Attribute numbers are those of each expression's own enumeration in {@code nf_tables.h}; the comments name it.
 */
final class ExpressionWriter {
    private static final int VERDICT_REGISTER = 0;
    /** {@code NFT_REG32_00}. */
    private static final int FIRST = 8;

    private static final int EQUAL = 0;
    private static final int UNEQUAL = 1;
    private static final int NETWORK_HEADER = 1;
    private static final int TRANSPORT_HEADER = 2;
    private static final int META_PRIORITY = 2;
    private static final int META_MARK = 3;
    private static final int META_IIFNAME = 6;
    private static final int META_L4PROTO = 16;
    private static final int CT_STATE = 0;
    private static final int CT_STATUS = 2;
    /** {@code NF_CT_STATE_BIT(IP_CT_NEW)}. */
    private static final int STATE_NEW = 8;
    /** {@code IPS_DST_NAT}. */
    private static final int STATUS_DNAT = 0x20;

    private static final int FIB_ADDRESS_TYPE = 3;
    private static final int FIB_SOURCE = 1;
    private static final int RTN_LOCAL = 2;
    private static final int IFNAMSIZ = 16;
    private static final int NFPROTO_IPV4 = 2;
    private static final int NFPROTO_IPV6 = 10;
    private static final int FULLY_RANDOM = 0x10;
    private static final int ICMP_PORT_UNREACHABLE = 3;
    private static final int ICMPV6_PORT_UNREACHABLE = 4;
    private static final int UPDATE = 1;
    private static final int DELETE = 2;

    private final MessageWriter out;
    private final IpFamily family;

    ExpressionWriter(MessageWriter out, IpFamily family) {
        this.out = out;
        this.family = family;
    }

    void write(Rule rule) {
        int list = out.open(Nf.RULE_EXPRESSIONS);
        rule.statements().forEach(this::write);
        out.close(list);
    }

    private void write(Statement statement) {
        switch (statement) {
            case Statement.In in -> {
                key(in.key(), FIRST);
                lookup(in.set(), FIRST, -1, in.negated());
            }
            case Statement.Block block -> block(block);
            case Statement.InInterface in -> inInterface(in);
            case Statement.NewConnection any -> ctBits(CT_STATE, STATE_NEW);
            case Statement.Translated any -> ctBits(CT_STATUS, STATUS_DNAT);
            case Statement.SourceLocal any -> sourceLocal();
            case Statement.Marked marked -> {
                meta(META_MARK, FIRST);
                bitwise(FIRST, 4, number(marked.mark()), number(0));
                compare(FIRST, UNEQUAL, number(0));
            }
            case Statement.SetMark set -> mark(number(~set.mark()), number(set.mark()));
            case Statement.ToggleMark toggle -> mark(number(-1), number(toggle.mark()));
            case Statement.Translate translate -> {
                key(translate.key(), FIRST);
                lookup(translate.map(), FIRST, FIRST, false);
                translate();
            }
            case Statement.Pick pick -> {
                key(pick.key(), FIRST);
                lookup(pick.map(), FIRST, FIRST, false);
                expression("meta", () -> out.number32be(2, META_PRIORITY).number32be(3, FIRST));
            }
            case Statement.Forget forget -> dynamic(forget.key(), forget.map(), DELETE, 0);
            case Statement.Remember remember ->
                dynamic(remember.key(), remember.map(), UPDATE, remember.seconds());
            case Statement.Masquerade any ->
                expression("masq", () -> out.number32be(1, FULLY_RANDOM)); // NFTA_MASQ_FLAGS
            case Statement.Reject any -> reject();
            case Statement.Drop any -> verdict(Nf.DROP, "");
            case Statement.Jump jump -> verdict(Nf.JUMP, jump.chain());
            case Statement.Goto go -> verdict(Nf.GOTO, go.chain());
        }
    }

    private int addressRegisters() {
        return family.bits() / 32;
    }

    private int registers(Operand operand) {
        return switch (operand) {
            case Operand.Packet packet ->
                switch (packet) {
                    case SOURCE_ADDRESS, DESTINATION_ADDRESS -> addressRegisters();
                    case PROTOCOL, DESTINATION_PORT, PRIORITY -> 1;
                };
            case Operand.Random random -> 1;
        };
    }

    private void key(List<Operand> key, int register) {
        int next = register;
        for (Operand operand : key) {
            load(operand, next);
            next += registers(operand);
        }
    }

    private void load(Operand operand, int register) {
        boolean v4 = family == IpFamily.IPV4;
        switch (operand) {
            case Operand.Packet packet -> {
                switch (packet) {
                    case SOURCE_ADDRESS ->
                        payload(NETWORK_HEADER, v4 ? 12 : 8, family.bits() / 8, register);
                    case DESTINATION_ADDRESS ->
                        payload(NETWORK_HEADER, v4 ? 16 : 24, family.bits() / 8, register);
                    case PROTOCOL -> meta(META_L4PROTO, register);
                    case DESTINATION_PORT -> payload(TRANSPORT_HEADER, 2, 2, register);
                    case PRIORITY -> meta(META_PRIORITY, register);
                }
            }
            case Operand.Random random ->
                expression(
                        "numgen",
                        () -> out.number32be(1, register) // NFTA_NG_DREG
                                .number32be(2, random.modulus())
                                .number32be(3, 1) // NFT_NG_RANDOM
                                .number32be(4, 0));
        }
    }

    private void payload(int base, int offset, int length, int register) {
        expression(
                "payload",
                () -> out.number32be(1, register) // NFTA_PAYLOAD_DREG
                        .number32be(2, base)
                        .number32be(3, offset)
                        .number32be(4, length));
    }

    private void meta(int key, int register) {
        // NFTA_META_DREG, NFTA_META_KEY
        expression("meta", () -> out.number32be(2, key).number32be(1, register));
    }

    private void ctBits(int key, int bits) {
        expression("ct", () -> out.number32be(2, key).number32be(1, FIRST));
        bitwise(FIRST, 4, number(bits), number(0));
        compare(FIRST, UNEQUAL, number(0));
    }

    private void block(Statement.Block block) {
        Cidr cidr = block.block();
        int length = family.bits() / 8;
        load(
                block.destination()
                        ? Operand.Packet.DESTINATION_ADDRESS
                        : Operand.Packet.SOURCE_ADDRESS,
                FIRST);
        byte[] mask = new byte[length];
        for (int bit = 0; bit < cidr.prefix(); bit++) {
            mask[bit / 8] |= (byte) (0x80 >>> bit % 8);
        }
        if (cidr.prefix() < length * 8) {
            bitwise(FIRST, length, mask, new byte[length]);
        }
        byte[] network = cidr.address().bytes();
        for (int i = 0; i < length; i++) {
            network[i] &= mask[i];
        }
        compare(FIRST, block.negated() ? UNEQUAL : EQUAL, network);
    }

    private void inInterface(Statement.InInterface in) {
        byte[] name = in.name().getBytes(StandardCharsets.UTF_8);
        int length = in.prefix() ? Math.min(name.length, IFNAMSIZ) : IFNAMSIZ;
        meta(META_IIFNAME, FIRST);
        compare(FIRST, in.negated() ? UNEQUAL : EQUAL, java.util.Arrays.copyOf(name, length));
    }

    private void sourceLocal() {
        expression(
                "fib",
                () -> out.number32be(3, FIB_SOURCE) // NFTA_FIB_FLAGS
                        .number32be(2, FIB_ADDRESS_TYPE)
                        .number32be(1, FIRST));
        compare(FIRST, EQUAL, number(RTN_LOCAL));
    }

    private void mark(byte[] mask, byte[] xor) {
        meta(META_MARK, FIRST);
        bitwise(FIRST, 4, mask, xor);
        expression("meta", () -> out.number32be(2, META_MARK).number32be(3, FIRST)); // SREG
    }

    private void translate() {
        int nfproto = family == IpFamily.IPV4 ? NFPROTO_IPV4 : NFPROTO_IPV6;
        int port = FIRST + addressRegisters();
        expression(
                "nat",
                () -> out.number32be(1, 1) // NFTA_NAT_TYPE, NFT_NAT_DNAT
                        .number32be(2, nfproto)
                        .number32be(3, FIRST) // NFTA_NAT_REG_ADDR_MIN
                        .number32be(5, port)); // NFTA_NAT_REG_PROTO_MIN
    }

    /** The kernel wants to know a value also to take an element out of a map. */
    private void dynamic(List<Operand> key, String map, int operation, int seconds) {
        int data = FIRST + key.stream().mapToInt(this::registers).sum();
        key(key, FIRST);
        meta(META_PRIORITY, data);
        expression("dynset", () -> {
            out.text(1, map) // NFTA_DYNSET_SET_NAME
                    .number32be(3, operation)
                    .number32be(4, FIRST)
                    .number32be(5, data);
            if (seconds > 0) {
                out.number64be(6, seconds * 1000L);
            }
        });
    }

    private void reject() {
        boolean v4 = family == IpFamily.IPV4;
        expression(
                "reject",
                () -> out.number32be(1, 0) // NFT_REJECT_ICMP_UNREACH
                        .number8(2, v4 ? ICMP_PORT_UNREACHABLE : ICMPV6_PORT_UNREACHABLE));
    }

    /** @param into the register for what a map says; -1 for a set */
    private void lookup(String set, int key, int into, boolean negated) {
        expression("lookup", () -> {
            out.text(1, set).number32be(2, key); // NFTA_LOOKUP_SET, _SREG
            if (into >= 0) {
                out.number32be(3, into);
            }
            if (negated) {
                out.number32be(5, 1); // NFT_LOOKUP_F_INV
            }
        });
    }

    private void bitwise(int register, int length, byte[] mask, byte[] xor) {
        expression("bitwise", () -> {
            out.number32be(1, register).number32be(2, register).number32be(3, length);
            data(4, mask);
            data(5, xor);
        });
    }

    private void compare(int register, int operation, byte[] value) {
        expression("cmp", () -> {
            out.number32be(1, register).number32be(2, operation);
            data(3, value);
        });
    }

    private void verdict(int code, String chain) {
        expression("immediate", () -> {
            out.number32be(1, VERDICT_REGISTER);
            int data = out.open(2);
            int verdict = out.open(Nf.DATA_VERDICT);
            out.number32be(Nf.VERDICT_CODE, code);
            if (!chain.isEmpty()) {
                out.text(Nf.VERDICT_CHAIN, chain);
            }
            out.close(verdict);
            out.close(data);
        });
    }

    private void data(int type, byte[] value) {
        int data = out.open(type);
        out.attribute(Nf.DATA_VALUE, value);
        out.close(data);
    }

    private void expression(String name, Runnable body) {
        int element = out.open(Nf.LIST_ELEM);
        out.text(Nf.EXPR_NAME, name);
        int data = out.open(Nf.EXPR_DATA);
        body.run();
        out.close(data);
        out.close(element);
    }

    /** In the machine's order, as registers hold numbers. */
    private static byte[] number(int value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.nativeOrder())
                .putInt(value)
                .array();
    }
}
