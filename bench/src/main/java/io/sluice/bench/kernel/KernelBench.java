package io.sluice.bench.kernel;

import io.sluice.bench.load.Command;
import io.sluice.bench.load.Iperf;
import io.sluice.bench.load.ProcessUse;
import io.sluice.bench.load.WebServer;
import io.sluice.bench.load.Wrk;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs the proxy as a process of its own against an API server full of Services, in a network namespace that is made for it, and beside
 * it a plain load of kube-proxy's shape of rules.
 *
 * <p>Arguments: {@code --sizes 1000x5,10000x5,40000x5,100x1000}, {@code --modes nftables}, {@code --flips 200}, {@code --peer-limit
 * 10000} (Services up to which the peer is loaded), {@code --seconds 3} of load through a Service. Needs root, iproute2, nftables, wrk,
 * iperf3 and nginx.
 */
public final class KernelBench {
    private static final String INSIDE = "--inside";
    private static final String NODE = "bench-node";
    private static final String ADDRESS = "192.0.2.10";
    private static final String[] SERVERS = {ADDRESS, "192.0.2.11"};
    private static final char[] NAMES = {'a', 'b'};
    private static final int METRICS_PORT = 28_349;
    private static final long PATIENCE_NANOS = 600_000_000_000L;

    private final Path dir;
    private final Options options;
    private final Report report = new Report();

    private record Options(
            List<Size> sizes, List<String> modes, int flips, int peerLimit, int seconds) {}

    private KernelBench(Path dir, Options options) {
        this.dir = dir;
        this.options = options;
    }

    public static void main(String[] args) throws Exception {
        if (!List.of(args).contains(INSIDE)) {
            inside(args);
            return;
        }
        Options options = new Options(
                Size.parse(option(args, "--sizes", "1000x5,10000x5,40000x5,100x1000")),
                List.of(option(args, "--modes", "nftables").split(",")),
                Integer.parseInt(option(args, "--flips", "200")),
                Integer.parseInt(option(args, "--peer-limit", "10000")),
                Integer.parseInt(option(args, "--seconds", "3")));
        new KernelBench(Files.createTempDirectory("kernel-bench"), options).run();
    }

    private static String option(String[] args, String name, String standard) {
        int at = List.of(args).indexOf(name);
        return at >= 0 && at + 1 < args.length ? args[at + 1] : standard;
    }

    /** The same again in a network namespace of its own, so that nothing of the host's is touched. */
    private static void inside(String[] args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Command.find("unshare"),
                "--net",
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dsluice.launcher=" + System.getProperty("sluice.launcher", "./sluice"),
                "-cp",
                System.getProperty("java.class.path"),
                KernelBench.class.getName(),
                INSIDE));
        command.addAll(Arrays.asList(args));
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IOException("the bench ended with " + code + " in its network namespace");
        }
    }

    private void run() throws Exception {
        network();
        for (Size size : options.sizes) {
            Path data =
                    Files.createDirectory(dir.resolve(size.services() + "x" + size.endpoints()));
            try (Cluster cluster = new Cluster(data);
                    NamedServer a = new NamedServer(SERVERS[0], 0, NAMES[0]);
                    NamedServer b = new NamedServer(SERVERS[1], a.port(), NAMES[1]);
                    WebServer web = WebServer.start(data, ADDRESS)) {
                System.err.println("loading " + size);
                cluster.addNode(NODE, ADDRESS);
                cluster.load(size);
                String flip = cluster.service("flip");
                cluster.pair("flip", SERVERS[0], SERVERS[1], b.port());
                String http = cluster.service("web");
                cluster.endpoint("web", ADDRESS, web.httpPort());
                String bulk = cluster.service("bulk");
                cluster.endpoint("bulk", ADDRESS, web.bulkPort());
                direct(web);
                for (String mode : options.modes) {
                    System.err.println(mode + ", " + size);
                    mode(mode, size, cluster, flip, http, bulk);
                    cluster.turn("flip", 0);
                    Command.run(60, List.of(Command.find("nft"), "flush", "ruleset"));
                }
                if (size.services() <= options.peerLimit) {
                    System.err.println("chains, " + size);
                    peer(size, flip, a.port());
                    Command.run(600, List.of(Command.find("nft"), "flush", "ruleset"));
                }
            }
        }
        Path target = Files.createDirectories(Path.of("target", "kernel"));
        Files.writeString(target.resolve("kernel.md"), report.table());
        Files.writeString(target.resolve("kernel.svg"), report.plot());
        System.out.print(report.table());
        System.out.println("\nwritten to " + target.resolve("kernel.md") + " and kernel.svg");
    }

    private static void network() throws Exception {
        String ip = Command.find("ip");
        for (String words : List.of(
                "link set lo up",
                "link add node0 type veth peer name peer0",
                "link set peer0 up",
                "addr add " + SERVERS[0] + "/24 dev node0",
                "addr add " + SERVERS[1] + "/24 dev node0",
                "link set node0 up",
                "route add default dev node0")) {
            List<String> command = new ArrayList<>(List.of(ip));
            command.addAll(List.of(words.split(" ")));
            Command.run(10, command);
        }
    }

    private void direct(WebServer web) throws Exception {
        load("direct", ADDRESS, web.httpPort(), ADDRESS, web.bulkPort());
    }

    private void load(String subject, String http, int httpPort, String bulk, int bulkPort)
            throws Exception {
        if (options.seconds > 0) {
            report.put(
                    subject,
                    Figure.CONNECTIONS,
                    Wrk.run(http, httpPort, options.seconds, false).perSecond());
            report.put(
                    subject,
                    Figure.THROUGHPUT,
                    Iperf.run(bulk, bulkPort, options.seconds).gigabytesPerSecond());
        }
    }

    private void mode(
            String mode, Size size, Cluster cluster, String flip, String http, String bulk)
            throws Exception {
        String subject = mode + ", " + size;
        long begin = System.nanoTime();
        try (Program proxy = Program.start(
                dir.resolve("proxy.log"),
                List.of(
                        "proxy",
                        "--kubeconfig=" + cluster.kubeconfig(),
                        "--hostname-override=" + NODE,
                        "--proxy-mode=" + mode,
                        "--healthz-bind-address=127.0.0.1:28356",
                        "--metrics-bind-address=127.0.0.1:" + METRICS_PORT,
                        "--conntrack-max-per-core=0",
                        "--oom-score-adj=0"))) {
            awaitAnswer(flip, proxy);
            report.put(subject, Figure.START, millis(begin));
            report.put(subject, Figure.FIRST_SYNC, syncSeconds() * 1e3);
            double cpu = ProcessUse.cpuSeconds(proxy.pid());
            report.put(subject, Figure.CPU_START, cpu);
            report.put(subject, Figure.RSS_LOADED, ProcessUse.residentMegabytes(proxy.pid()));
            count(subject);
            load(subject, http, 80, bulk, 80);
            // The first changes run cold code; a proxy runs for months.
            Flips.run(flip, 80, NAMES, 20, ready -> cluster.turn("flip", ready));
            double before = ProcessUse.cpuSeconds(proxy.pid());
            Flips.Result flips =
                    Flips.run(flip, 80, NAMES, options.flips, ready -> cluster.turn("flip", ready));
            changes(subject, flips);
            report.put(
                    subject,
                    Figure.CPU_CHANGE,
                    (ProcessUse.cpuSeconds(proxy.pid()) - before) * 1e3 / options.flips);
            report.put(subject, Figure.RSS_AFTER, ProcessUse.residentMegabytes(proxy.pid()));
            if (mode.equals("nftables")) {
                double synced = syncSeconds();
                long flushed = System.nanoTime();
                Command.run(60, List.of(Command.find("nft"), "flush", "ruleset"));
                awaitAnswer(flip, proxy);
                report.put(subject, Figure.REPAIR, millis(flushed));
                report.put(subject, Figure.RESYNC, (syncSeconds() - synced) * 1e3);
            }
        }
    }

    private void changes(String subject, Flips.Result flips) {
        report.put(subject, Figure.CHANGE_P50, flips.p50Ms());
        report.put(subject, Figure.CHANGE_P99, flips.p99Ms());
        report.put(subject, Figure.FAILED, flips.failed());
    }

    private void peer(Size size, String flip, int port) throws Exception {
        String subject = "chains, " + size;
        ChainPeer peer = new ChainPeer(dir);
        long begin = System.nanoTime();
        peer.load(size, flip, SERVERS, port);
        report.put(subject, Figure.FIRST_SYNC, millis(begin));
        count(subject);
        changes(
                subject,
                Flips.run(
                        flip,
                        80,
                        NAMES,
                        Math.min(20, options.flips),
                        ready -> peer.turn(SERVERS[ready], port)));
    }

    private static void awaitAnswer(String address, Program proxy) throws IOException {
        long begin = System.nanoTime();
        while (NamedServer.ask(address, 80, 200) == 0) {
            proxy.checkAlive();
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new IOException("nobody answers at " + address);
            }
        }
    }

    /** Of all syncs so far, as the proxy itself counts. */
    private static double syncSeconds() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            double out = 0;
            while (out == 0) { // traffic may flow just before the sync is counted
                String text = client.send(
                                HttpRequest.newBuilder(URI.create(
                                                "http://127.0.0.1:" + METRICS_PORT + "/metrics"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
                out = text.lines()
                        .filter(line ->
                                line.startsWith("kubeproxy_sync_proxy_rules_duration_seconds_sum"))
                        .mapToDouble(line ->
                                Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                        .sum();
            }
            return out;
        }
    }

    private void count(String subject) throws Exception {
        String text = Command.run(600, List.of(Command.find("nft"), "-t", "list", "ruleset"));
        int chains = 0;
        int rules = 0;
        boolean inChain = false;
        for (String line : text.split("\n")) {
            if (line.startsWith("\tchain ")) {
                chains++;
                inChain = true;
            } else if (line.startsWith("\t}")) {
                inChain = false;
            } else if (inChain && !line.strip().startsWith("type ")) {
                rules++;
            }
        }
        report.put(subject, Figure.CHAINS, chains);
        report.put(subject, Figure.RULES, rules);
    }

    private static double millis(long since) {
        return (System.nanoTime() - since) / 1e6;
    }
}
