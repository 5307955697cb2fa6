package io.sluice.cli;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What {@code up}, {@code demo} and {@code apiserver} share. */
final class UpOptions {
    private static final Set<String> PARTS = Set.of("node", "proxy", "controllers");

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description =
                    "where everything is kept (default: /var/lib/sluice, or ~/.local/share/sluice without root)")
    Path dataDir;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "0.0.0.0",
            description = "address the API server listens on (default: ${DEFAULT-VALUE})")
    String bind;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "6443",
            description = "port of the API server; 0 takes a free one (default: ${DEFAULT-VALUE})")
    int port;

    @Option(
            names = "--service-cidr",
            paramLabel = "CIDR[,CIDR]",
            defaultValue = "10.96.0.0/12",
            description = "range of cluster IPs, one per family (default: ${DEFAULT-VALUE})")
    String serviceCidr;

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description = "name of this node (default: the host's name)")
    String nodeName;

    @Option(
            names = "--proxy-mode",
            paramLabel = "MODE",
            defaultValue = "auto",
            description = "auto, nftables, iptables or userspace (default: ${DEFAULT-VALUE})")
    String proxyMode;

    @Option(
            names = "--without",
            paramLabel = "PART",
            split = ",",
            description = "leave a part out: node, proxy, controllers; may be given again")
    List<String> without = new ArrayList<>();

    @Option(
            names = "--healthz-bind-address",
            paramLabel = "HOST:PORT",
            defaultValue = "0.0.0.0:10256",
            description = "where the proxy's /healthz answers (default: ${DEFAULT-VALUE})")
    String healthzBindAddress;

    @Option(
            names = "--metrics-bind-address",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:10249",
            description = "where the proxy's /metrics answers (default: ${DEFAULT-VALUE})")
    String metricsBindAddress;

    @Option(names = "--verbose", description = "log more, and show stack traces")
    boolean verbose;

    /** Never read by code: the flag is looked at before logging starts. */
    boolean isVerbose() {
        return verbose;
    }

    Path dir() {
        if (dataDir != null) {
            return dataDir.toAbsolutePath();
        }
        boolean root = "root".equals(System.getProperty("user.name"));
        return root
                ? Path.of("/var/lib/sluice")
                : Path.of(System.getProperty("user.home"), ".local/share/sluice");
    }

    Set<String> leftOut() throws UsageException {
        Set<String> out = new LinkedHashSet<>(without);
        for (String part : out) {
            if (!PARTS.contains(part)) {
                throw new UsageException(
                        "--without " + part + ": the parts are node, proxy and controllers");
            }
        }
        return out;
    }

    List<Cidr> serviceRanges() throws UsageException {
        List<Cidr> out = new ArrayList<>();
        for (String text : serviceCidr.split(",")) {
            Optional<Cidr> range = Cidr.parse(text.strip());
            if (range.isEmpty()) {
                throw new UsageException(
                        "--service-cidr " + text + ": no address block like 10.96.0.0/12");
            }
            out.add(range.get());
        }
        boolean oneEach = out.size() == 1
                || out.size() == 2 && out.get(0).family() != out.get(1).family();
        if (!oneEach) {
            throw new UsageException(
                    "--service-cidr " + serviceCidr + ": at most one block per family");
        }
        return out;
    }

    IpAddress bindAddress() throws UsageException {
        return IpAddress.parse(bind)
                .orElseThrow(() -> new UsageException("--bind " + bind + ": no IP address"));
    }

    int checkedPort() throws UsageException {
        if (port < 0 || port > 65_535) {
            throw new UsageException("--port " + port + ": ports go from 0 to 65535");
        }
        return port;
    }
}
