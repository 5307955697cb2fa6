package io.sluice.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process has used so far, from {@code /proc}; see proc(5). Assumes the usual 100 clock ticks a second. */
public final class ProcessUse {
    private static final double TICKS_PER_SECOND = 100;

    private ProcessUse() {}

    /** User plus system CPU seconds of the process and all its threads, without children. */
    public static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    /** Resident set in MB (10^6 bytes). */
    public static double residentMegabytes(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024 / 1e6;
            }
        }
        throw new IOException("/proc/" + pid + "/status has no VmRSS line; has the process ended?");
    }
}
