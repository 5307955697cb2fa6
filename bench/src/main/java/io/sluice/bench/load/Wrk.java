package io.sluice.bench.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** HTTP load by wrk: one thread, 32 connections. */
public final class Wrk {
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([\\d.]+)");
    private static final Pattern TOTAL = Pattern.compile("(\\d+) requests in");
    private static final Pattern ERRORS = Pattern.compile(
            "Socket errors: connect (\\d+), read (\\d+), write (\\d+), timeout (\\d+)");
    private static final Pattern LATENCY = Pattern.compile("(50|99)%\\s+([\\d.]+)(us|ms|s)");

    private Wrk() {}

    /**
     * What one run showed.
     *
     * @param total requests answered
     * @param perSecond requests a second
     */
    public record Result(long total, double perSecond, double p50Ms, double p99Ms, long errors) {}

    /** @param keepAlive false opens a connection for each request */
    public static Result run(String address, int port, int seconds, boolean keepAlive)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(
                List.of(Command.find("wrk"), "-t1", "-c32", "-d" + seconds + "s", "--latency"));
        if (!keepAlive) {
            words.addAll(List.of("-H", "Connection: close"));
        }
        words.add("http://" + address + ':' + port + "/");
        return parse(Command.run(seconds + 30, words));
    }

    static Result parse(String output) throws IOException {
        double p50 = Double.NaN;
        double p99 = Double.NaN;
        Matcher latency = LATENCY.matcher(output);
        while (latency.find()) {
            double ms = Double.parseDouble(latency.group(2)) * millisPer(latency.group(3));
            if (latency.group(1).equals("50")) {
                p50 = ms;
            } else {
                p99 = ms;
            }
        }
        Matcher errors = ERRORS.matcher(output);
        long failed = 0;
        if (errors.find()) {
            for (int i = 1; i <= 4; i++) {
                failed += Long.parseLong(errors.group(i));
            }
        }
        return new Result(
                Long.parseLong(group(TOTAL, output)),
                Double.parseDouble(group(RATE, output)),
                p50,
                p99,
                failed);
    }

    private static double millisPer(String unit) {
        return unit.equals("us") ? 0.001 : unit.equals("ms") ? 1 : 1000;
    }

    private static String group(Pattern pattern, String output) throws IOException {
        Matcher matcher = pattern.matcher(output);
        if (!matcher.find()) {
            throw new IOException(
                    "wrk printed nothing that matches " + pattern + ": " + output.strip());
        }
        return matcher.group(1);
    }
}
