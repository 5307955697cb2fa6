package io.sluice.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts the relay beside a direct way, HAProxy and nginx: rounds are interleaved, so that a machine that changes its pace does so for all
 * of them, and medians are shown. Client, proxy and server share this machine.
 *
 * <p>Arguments: {@code --rounds N} (5), {@code --seconds N} a measurement (3), {@code --out DIR} for table and plot.
 */
public final class LoadBench {
    private static final String SUBJECT = "sluice";
    private static final double BYTES_PER_GB = 1e9;

    private final Path dir;
    private final int rounds;
    private final int seconds;
    private final Figures figures = new Figures();
    private final Map<Peer, Process> processes = new LinkedHashMap<>();

    private LoadBench(Path dir, int rounds, int seconds) {
        this.dir = dir;
        this.rounds = rounds;
        this.seconds = seconds;
    }

    public static void main(String[] args) throws Exception {
        int rounds = option(args, "--rounds", 5);
        int seconds = option(args, "--seconds", 3);
        Path out = Path.of(text(args, "--out", "bench/target/load"));
        Files.createDirectories(out);
        LoadBench bench = new LoadBench(Files.createTempDirectory("load-bench"), rounds, seconds);
        try {
            bench.run();
        } finally {
            bench.processes.values().forEach(Process::destroy);
        }
        String table = TableReport.of(bench.figures, SUBJECT);
        String title = "Userspace relay, medians of " + rounds + " interleaved rounds of " + seconds
                + " s";
        Files.writeString(out.resolve("load.md"), title + "\n\n" + table);
        Files.writeString(out.resolve("load.svg"), PlotReport.of(bench.figures, SUBJECT, title));
        System.out.println(title + '\n');
        System.out.println(table);
        System.out.println("written to " + out);
    }

    private static int option(String[] args, String name, int standard) {
        return Integer.parseInt(text(args, name, String.valueOf(standard)));
    }

    private static String text(String[] args, String name, String standard) {
        int at = List.of(args).indexOf(name);
        return at >= 0 && at + 1 < args.length ? args[at + 1] : standard;
    }

    private void run() throws IOException, InterruptedException {
        start(Peers.httpServer(dir, "127.0.0.1"));
        start(Peers.bulkServer("127.0.0.1"));
        List<Peer> peers = List.of(
                Peers.direct(),
                Peers.haproxy(dir, "haproxy", 28_100, ""),
                Peers.haproxy(
                        dir,
                        "haproxy splice",
                        28_110,
                        "option splice-request\n    option splice-response"),
                Peers.nginxStream(dir, 28_120),
                relay());
        for (Peer peer : peers) {
            if (!peer.command().isEmpty()) {
                figures.add(peer.name(), Measure.START_UP, start(peer));
            }
        }
        // The first round warms caches and compilers and is not counted.
        for (int round = 0; round <= rounds; round++) {
            System.err.println(round == 0 ? "warm-up" : "round " + round + " of " + rounds);
            for (Peer peer : peers) {
                measure(peer, round > 0);
            }
        }
        for (Peer peer : peers) {
            Process process = processes.get(peer);
            if (process != null) {
                figures.add(peer.name(), Measure.RSS, ProcessUse.residentMegabytes(process.pid()));
            }
        }
    }

    private static Peer relay() {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-Xms24m",
                "-Xmx256m",
                "-XX:+UseCompactObjectHeaders",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                RelayServer.class.getName(),
                "1"));
        command.addAll(List.of(
                "28130",
                String.valueOf(Peers.HTTP_SERVER),
                "28131",
                String.valueOf(Peers.BULK_SERVER)));
        return new Peer(SUBJECT, 28_130, 28_131, command);
    }

    /** @return milliseconds until it took its first connection */
    private double start(Peer peer) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Path log = dir.resolve(peer.name().replace(' ', '-') + ".out");
        Process process = Command.start(log, peer.command());
        processes.put(peer, process);
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", peer.httpPort()), 1_000);
                return (System.nanoTime() - begin) / 1e6;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() - begin > 20e9) {
                    throw new IOException(
                            peer.name() + " did not start: "
                                    + Files.readString(log).strip(),
                            e);
                }
                Thread.sleep(2);
            }
        }
    }

    private void measure(Peer peer, boolean counted) throws IOException, InterruptedException {
        Figures into = counted ? figures : new Figures();
        double before = cpu(peer);
        Iperf.Result bulk = Iperf.run("127.0.0.1", peer.bulkPort(), seconds);
        double afterBulk = cpu(peer);
        into.add(peer.name(), Measure.THROUGHPUT, bulk.gigabytesPerSecond());

        Wrk.Result requests = Wrk.run("127.0.0.1", peer.httpPort(), seconds, true);
        double afterRequests = cpu(peer);
        into.add(peer.name(), Measure.REQUESTS, requests.perSecond());
        into.add(peer.name(), Measure.REQUEST_P50, requests.p50Ms());
        into.add(peer.name(), Measure.REQUEST_P99, requests.p99Ms());

        Wrk.Result connections = Wrk.run("127.0.0.1", peer.httpPort(), seconds, false);
        double afterConnections = cpu(peer);
        into.add(peer.name(), Measure.CONNECTIONS, connections.perSecond());
        into.add(peer.name(), Measure.CONNECTION_P50, connections.p50Ms());
        into.add(peer.name(), Measure.CONNECTION_P99, connections.p99Ms());
        if (!peer.command().isEmpty()) {
            into.add(
                    peer.name(),
                    Measure.CPU_PER_GB,
                    (afterBulk - before) / (bulk.bytes() / BYTES_PER_GB));
            into.add(
                    peer.name(),
                    Measure.CPU_PER_100K_REQUESTS,
                    (afterRequests - afterBulk) / requests.total() * 100_000);
            into.add(
                    peer.name(),
                    Measure.CPU_PER_100K_CONNECTIONS,
                    (afterConnections - afterRequests) / connections.total() * 100_000);
        }
        if (counted && requests.errors() + connections.errors() > 0) {
            System.err.println(peer.name() + ": " + requests.errors() + " failed requests, "
                    + connections.errors() + " failed connections");
        }
    }

    private double cpu(Peer peer) throws IOException {
        Process process = processes.get(peer);
        return process == null ? 0 : ProcessUse.cpuSeconds(process.pid());
    }
}
