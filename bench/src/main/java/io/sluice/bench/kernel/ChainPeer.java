package io.sluice.bench.kernel;

import io.sluice.bench.load.Command;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A plain generator of the rules kube-proxy 1.36 makes: a chain for each Service and for each endpoint, loaded by {@code nft -f}. */
final class ChainPeer {
    private static final int TIMEOUT_SECONDS = 600;

    private final Path dir;
    private final String nft;

    ChainPeer(Path dir) throws IOException {
        this.dir = dir;
        this.nft = Command.find("nft");
    }

    /** @param address of one more Service, whose endpoints are the two servers */
    void load(Size size, String address, String[] servers, int port) throws Exception {
        Path file = dir.resolve("peer.nft");
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("add table ip peer\n");
            out.write(
                    "add map ip peer service-ips { type ipv4_addr . inet_proto . inet_service : verdict ; }\n");
            out.write("add chain ip peer services\n");
            out.write(
                    "add rule ip peer services ip daddr . meta l4proto . th dport vmap @service-ips\n");
            for (String hook : List.of("prerouting", "output")) {
                out.write("add chain ip peer nat-" + hook + " { type nat hook " + hook
                        + " priority -100 ; }\n");
                out.write("add rule ip peer nat-" + hook + " jump services\n");
            }
            for (int i = 0; i < size.services(); i++) {
                String[] targets = new String[size.endpoints()];
                for (int n = 0; n < targets.length; n++) {
                    targets[n] = size.endpoint(i, n) + ":8080";
                }
                service(out, "s" + i, clusterIp(i), targets);
            }
            endpointChain(out, "flip", servers[0] + ":" + port);
            endpointChain(out, "flip", servers[1] + ":" + port);
            out.write("add chain ip peer service-flip\n");
            out.write(choose("flip", servers[0] + ":" + port));
            out.write(element(address, "flip"));
        }
        Command.run(TIMEOUT_SECONDS, List.of(nft, "-f", file.toString()));
    }

    private static void service(BufferedWriter out, String name, String address, String... targets)
            throws IOException {
        for (String target : targets) {
            endpointChain(out, name, target);
        }
        out.write("add chain ip peer service-" + name + '\n');
        out.write(choose(name, targets));
        out.write(element(address, name));
    }

    private static void endpointChain(BufferedWriter out, String name, String target)
            throws IOException {
        String chain = endpoint(name, target);
        String address = target.substring(0, target.indexOf(':'));
        out.write("add chain ip peer " + chain + '\n');
        out.write("add rule ip peer " + chain + " ip saddr " + address
                + " meta mark set meta mark or 0x4000\n");
        out.write("add rule ip peer " + chain + " meta l4proto tcp dnat to " + target + '\n');
    }

    private static String endpoint(String name, String target) {
        return "endpoint-" + name + '-' + target.replace('.', '-').replace(':', '-');
    }

    private static String choose(String name, String... targets) {
        StringBuilder out = new StringBuilder("add rule ip peer service-")
                .append(name)
                .append(" numgen random mod ")
                .append(targets.length)
                .append(" vmap { ");
        for (int i = 0; i < targets.length; i++) {
            out.append(i == 0 ? "" : " , ")
                    .append(i)
                    .append(" : goto ")
                    .append(endpoint(name, targets[i]));
        }
        return out.append(" }\n").toString();
    }

    private static String element(String address, String name) {
        return "add element ip peer service-ips { " + address + " . tcp . 80 : goto service-" + name
                + " }\n";
    }

    private static String clusterIp(int i) {
        return "10.66." + i / 250 + '.' + (i % 250 + 1);
    }

    /** As kube-proxy changes a Service: its chain anew. */
    void turn(String server, int port) throws Exception {
        Path file = dir.resolve("peer-change.nft");
        Files.writeString(
                file, "flush chain ip peer service-flip\n" + choose("flip", server + ":" + port));
        Command.run(TIMEOUT_SECONDS, List.of(nft, "-f", file.toString()));
    }
}
