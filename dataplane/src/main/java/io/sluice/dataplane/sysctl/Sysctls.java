package io.sluice.dataplane.sysctl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes kernel settings where they differ. What cannot be written is told and hinders nothing else: kube-proxy stops there, which
 * leaves a node without Services for the sake of a time-out.
 */
public final class Sysctls {
    private static final String NETFILTER = "sys/net/netfilter/";
    private static final String HASH_SIZE = "module/nf_conntrack/parameters/hashsize";
    /** The kernel's own ratio of entries to buckets. */
    private static final int ENTRIES_PER_BUCKET = 4;

    private final Path proc;
    private final Path sys;
    private final List<String> changed = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    /** What came of it. @param changed for the log @param problems what could not be set, and why */
    public record Report(List<String> changed, List<String> problems) {}

    private Sysctls(Path proc, Path sys) {
        this.proc = proc;
        this.sys = sys;
    }

    /** Of the machine, or of what looks like it. @param proc where procfs is mounted @param sys where sysfs is */
    public static Report apply(ConntrackSettings settings, Path proc, Path sys) {
        Sysctls sysctls = new Sysctls(proc, sys);
        if (settings.most() > 0) {
            sysctls.set(proc.resolve(NETFILTER + "nf_conntrack_max"), settings.most());
            sysctls.raise(sys.resolve(HASH_SIZE), settings.most() / ENTRIES_PER_BUCKET);
        }
        settings.values()
                .forEach((name, value) -> sysctls.set(proc.resolve(NETFILTER + name), value));
        return new Report(List.copyOf(sysctls.changed), List.copyOf(sysctls.problems));
    }

    /** CPUs that are online on the machine, not those a cgroup leaves; at least 1. */
    public static int cpus(Path sys) {
        try {
            int count = 0;
            String online =
                    Files.readString(sys.resolve("devices/system/cpu/online")).strip();
            for (String range : online.split(",")) {
                String[] ends = range.split("-");
                count += Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
            }
            return Math.max(count, 1);
        } catch (IOException | NumberFormatException e) {
            return Runtime.getRuntime().availableProcessors();
        }
    }

    private void set(Path file, long value) {
        try {
            String before = Files.readString(file).strip();
            if (!before.equals(Long.toString(value))) {
                write(file, before, value);
            }
        } catch (IOException e) {
            problems.add(name(file) + " cannot be read: " + reason(e) + "; it should be " + value);
        }
    }

    /** Larger is as good. */
    private void raise(Path file, long least) {
        try {
            String before = Files.readString(file).strip();
            if (Long.parseLong(before) < least) {
                write(file, before, least);
            }
        } catch (IOException | NumberFormatException e) {
            problems.add(name(file) + " cannot be read: " + reason(e) + "; it should be at least "
                    + least);
        }
    }

    private void write(Path file, String before, long value) {
        try {
            Files.writeString(file, Long.toString(value));
            changed.add(name(file) + " from " + before + " to " + value);
        } catch (IOException e) {
            problems.add(name(file) + " stays at " + before + ", cannot be set to " + value + ": "
                    + reason(e));
        }
    }

    private String name(Path file) {
        return file.startsWith(proc)
                ? proc.resolve("sys").relativize(file).toString().replace('/', '.')
                : sys.relativize(file).toString();
    }

    private static String reason(Exception failure) {
        return failure.getClass().getSimpleName() + ' ' + failure.getMessage();
    }
}
