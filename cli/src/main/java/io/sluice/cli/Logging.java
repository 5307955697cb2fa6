package io.sluice.cli;

import java.util.Arrays;

/** Logs go to standard error, one line each. Must be set up before the first logger is made. */
final class Logging {
    private static volatile boolean verbose;

    private Logging() {}

    /** @param args the command line: {@code -v}, {@code --v=N} and {@code --verbose} ask for more */
    static void configure(String[] args) {
        verbose = Arrays.stream(args)
                .anyMatch(arg -> arg.equals("--verbose") || arg.matches("--v=([4-9]|10)"));
        set("logFile", "System.err");
        set("showDateTime", "true");
        set("dateTimeFormat", "yyyy-MM-dd HH:mm:ss.SSS");
        set("showThreadName", "false");
        set("showShortLogName", "true");
        set("defaultLogLevel", verbose ? "debug" : "info");
        set("log.io.netty", "warn");
    }

    static boolean isVerbose() {
        return verbose;
    }

    private static void set(String name, String value) {
        String property = "org.slf4j.simpleLogger." + name;
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
