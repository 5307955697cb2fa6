package io.sluice.kernel;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

import java.util.ArrayList;
import java.util.List;

/**
 * A socket filter that lets packets of some sources in and no others ({@code Documentation/networking/filter.rst} in the kernel).
 * Instructions are {@code code:16 jt:8 jf:8 k:32}.
 */
public final class ClassicBpf {
    static final int SOCK_FPROG_SIZE = 16;

    private static final int LD_ABS_WORD = 0x20;
    private static final int AND = 0x54;
    private static final int JEQ = 0x15;
    private static final int RET = 0x06;
    /** {@code SKF_NET_OFF}: offsets from here count from the network header. */
    private static final int NET = -0x100000;

    private static final int ALL = -1;
    /** {@code BPF_MAXINSNS}. */
    private static final int MOST = 4096;

    private final List<long[]> program;

    private ClassicBpf(List<long[]> program) {
        this.program = program;
    }

    /** Lets in packets whose source is in one of the blocks; those of another family match nothing. */
    public static ClassicBpf sources(IpFamily family, List<Cidr> allowed) throws KernelException {
        List<long[]> out = new ArrayList<>();
        for (Cidr block : allowed) {
            if (block.family() == family) {
                addBlock(out, block);
            }
        }
        out.add(new long[] {RET, 0, 0, 0});
        if (out.size() > MOST) {
            throw new KernelException(
                    "assemble", "source filter with " + allowed.size() + " blocks", Errno.EINVAL);
        }
        return new ClassicBpf(List.copyOf(out));
    }

    private static void addBlock(List<long[]> out, Cidr block) {
        boolean v4 = block.family() == IpFamily.IPV4;
        int words = v4 ? 1 : 4;
        int offset = NET + (v4 ? 12 : 8);
        int end = out.size() + 1 + instructions(block);
        for (int word = 0; word < words; word++) {
            int bits = Math.clamp(block.prefix() - 32L * word, 0, 32);
            if (bits == 0) {
                continue;
            }
            long mask = bits == 32 ? 0xffffffffL : 0xffffffffL << 32 - bits & 0xffffffffL;
            out.add(new long[] {LD_ABS_WORD, 0, 0, offset + 4L * word});
            out.add(new long[] {AND, 0, 0, mask});
            int mismatch = end - out.size() - 1;
            out.add(new long[] {JEQ, 0, mismatch, value(block, word) & mask});
        }
        out.add(new long[] {RET, 0, 0, ALL});
    }

    /** How many instructions a block takes before its {@code RET}. */
    private static int instructions(Cidr block) {
        return (block.prefix() + 31) / 32 * 3;
    }

    private static long value(Cidr block, int word) {
        if (block.family() == IpFamily.IPV4) {
            return block.address().low();
        }
        long half = word < 2 ? block.address().high() : block.address().low();
        return half >>> (word % 2 == 0 ? 32 : 0) & 0xffffffffL;
    }

    /** {@code struct sock_fprog} with its program behind it, in native memory. */
    Pointer sockFprog() {
        Pointer memory = Memory.allocateDirect(LibC.RUNTIME, SOCK_FPROG_SIZE + 8 * program.size());
        memory.putShort(0, (short) program.size());
        memory.putLong(8, memory.address() + SOCK_FPROG_SIZE);
        for (int i = 0; i < program.size(); i++) {
            long[] instruction = program.get(i);
            int at = SOCK_FPROG_SIZE + 8 * i;
            memory.putShort(at, (short) instruction[0]);
            memory.putByte(at + 2, (byte) instruction[1]);
            memory.putByte(at + 3, (byte) instruction[2]);
            memory.putInt(at + 4, (int) instruction[3]);
        }
        return memory;
    }

    /** One instruction a line, for tests and logs. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        for (long[] instruction : program) {
            out.append(String.format(
                    "%02x %d %d %08x%n",
                    instruction[0], instruction[1], instruction[2], (int) instruction[3]));
        }
        return out.toString();
    }
}
