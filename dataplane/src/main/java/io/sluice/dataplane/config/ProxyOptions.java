package io.sluice.dataplane.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.quantity.GoDuration;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.RuleSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** From flags and file to a checked configuration, by kube-proxy's rules of who wins. Pure. */
public final class ProxyOptions {
    private ProxyOptions() {}

    /** @param warnings what was not taken, one text each */
    public record Resolved(ProxyConfig config, List<String> warnings) {}

    /**
     * @param flags those that were given, name to value
     * @param file text of the {@code --config} file; empty without one
     * @param hostname the machine's name
     * @param features asked for mode auto alone
     */
    public static Resolved resolve(
            Map<String, String> flags,
            String file,
            String hostname,
            Supplier<NodeFeatures> features)
            throws ConfigException {
        List<String> warnings = new ArrayList<>();
        ObjectNode effective = ConfigFile.defaults();
        boolean hasFile = flags.containsKey("config");
        if (hasFile) {
            warnings.addAll(ConfigFile.read(file, flags.get("config"), effective));
        }
        for (Map.Entry<String, String> given : flags.entrySet()) {
            ProxyFlag flag = ProxyFlag.find(given.getKey())
                    .orElseThrow(() -> new ConfigException(
                            "unknown flag --" + given.getKey() + "; see proxy --help"));
            if (hasFile && !flag.withFile()) {
                warnings.add("--" + flag.name() + " is ignored, because --config is given");
            } else {
                applyFlag(flag, given.getValue(), effective, warnings);
            }
        }
        if (!hasFile) {
            applyPort("healthz", flags, effective);
            applyPort("metrics", flags, effective);
        }
        validate(effective);
        return new Resolved(
                build(effective, flags, hostname, features, warnings), List.copyOf(warnings));
    }

    private static void applyFlag(
            ProxyFlag flag, String value, ObjectNode effective, List<String> warnings)
            throws ConfigException {
        boolean noOverride = flag.name().equals("hostname-override") && value.isEmpty();
        if (!flag.target().isEmpty() && !noOverride) {
            ConfigField field = ConfigField.find(flag.target()).orElseThrow();
            JsonNode parsed = field.fromText("--" + flag.name(), value);
            ConfigFile.set(effective, flag.target(), parsed);
            // These flags feed the nftables section as well.
            String twin = flag.target().replace("iptables.", "nftables.");
            if (!twin.equals(flag.target()) && ConfigField.find(twin).isPresent()) {
                ConfigFile.set(effective, twin, parsed);
            }
        }
        if (flag.use() == ProxyFlag.Use.ACCEPTED) {
            warnings.add("--" + flag.name() + " has no effect here");
        }
    }

    /** The deprecated flags of ports: 0 means no server, whatever the address says. */
    private static void applyPort(String server, Map<String, String> flags, ObjectNode effective)
            throws ConfigException {
        String flag = server + "-port";
        if (!flags.containsKey(flag)) {
            return;
        }
        String text = flags.get(flag);
        int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : -1;
        require(port >= 0 && port <= 65_535, "--" + flag, text, "a port, 0 to 65535");
        String field = server + "BindAddress";
        String address = effective.path(field).asText();
        Optional<IpAddress> bare = IpAddress.parse(address);
        if (port == 0) {
            effective.put(field, "");
        } else if (bare.isPresent()) {
            effective.put(field, bare.get().withPort(port));
        }
    }

    private static void validate(ObjectNode config) throws ConfigException {
        for (String section : List.of("iptables", "nftables", "ipvs")) {
            Duration min = duration(config, section + ".minSyncPeriod");
            Duration most = duration(config, section + ".syncPeriod");
            require(most.isPositive(), section + ".syncPeriod", most, "more than 0");
            require(
                    !min.isNegative() && min.compareTo(most) <= 0,
                    section + ".minSyncPeriod",
                    min,
                    "0 to syncPeriod");
        }
        for (String section : List.of("iptables", "nftables")) {
            int bit = ConfigFile.get(config, section + ".masqueradeBit").asInt();
            require(bit >= 0 && bit <= 31, section + ".masqueradeBit", bit, "0 to 31");
        }
        int oom = config.path("oomScoreAdj").asInt();
        require(oom >= -1000 && oom <= 1000, "oomScoreAdj", oom, "-1000 to 1000");
        for (ConfigField field : ConfigField.ALL) {
            boolean positive =
                    field.path().startsWith("conntrack.") || field.path().startsWith("ipvs.");
            if (positive && field.type() == ConfigField.Type.DURATION) {
                Duration value = duration(config, field.path());
                require(!value.isNegative(), field.path(), value, "0 or more");
            }
        }
        for (JsonNode entry : ConfigFile.get(config, "ipvs.excludeCIDRs")) {
            require(
                    Cidr.parse(entry.asText()).isPresent(),
                    "ipvs.excludeCIDRs",
                    entry.asText(),
                    "CIDRs");
        }
        String bind = config.path("bindAddress").asText();
        require(IpAddress.parse(bind).isPresent(), "bindAddress", bind, "an IP address");
        for (var gate : config.path("featureGates").properties()) {
            require(
                    gate.getValue().isBoolean(),
                    "featureGates." + gate.getKey(),
                    gate.getValue(),
                    "true or false");
        }
    }

    private static void require(boolean holds, String field, Object found, String expected)
            throws ConfigException {
        if (!holds) {
            throw new ConfigException(field + ": " + found + " is invalid; expected " + expected);
        }
    }

    private static Duration duration(ObjectNode config, String path) {
        return GoDuration.parse(ConfigFile.get(config, path).asText()).orElse(Duration.ZERO);
    }

    private static ProxyConfig build(
            ObjectNode config,
            Map<String, String> flags,
            String hostname,
            Supplier<NodeFeatures> features,
            List<String> warnings)
            throws ConfigException {
        ModeChoice mode = mode(config.path("mode").asText(), features);
        String override = config.path("hostnameOverride").asText();
        require(
                override.isEmpty() || !override.isBlank(),
                "hostnameOverride",
                '"' + override + '"',
                "a node name");
        String node = (override.isBlank() ? hostname : override).strip().toLowerCase(Locale.ROOT);
        require(
                !node.isEmpty(),
                "hostnameOverride",
                "\"\"",
                "a node name, since this machine has none");
        String section = mode.mode() == ProxyMode.IPVS
                ? "ipvs"
                : mode.mode() == ProxyMode.IPTABLES ? "iptables" : "nftables";
        // Userspace and nftables need no pause: a change costs them microseconds. A pause is kept
        // only where a
        // flag asks for one.
        boolean asked = flags.containsKey("iptables-min-sync-period");
        boolean quick = mode.mode() == ProxyMode.USERSPACE || mode.mode() == ProxyMode.NFTABLES;
        Duration min =
                quick && !asked ? Duration.ZERO : duration(config, section + ".minSyncPeriod");
        String bind = config.path("bindAddress").asText();
        boolean v6 = bind.contains(":");
        return new ProxyConfig(
                mode.mode(),
                mode.reason(),
                node,
                ConfigFile.get(config, "clientConnection.kubeconfig").asText(),
                flags.getOrDefault("master", ""),
                rules(config, mode.mode(), section, warnings),
                bind,
                address("healthzBindAddress", config, v6, 10_256),
                address("metricsBindAddress", config, v6, 10_249),
                config.path("bindAddressHardFail").asBoolean(),
                min,
                duration(config, section + ".syncPeriod"),
                externalIps(config, warnings),
                config.path("oomScoreAdj").asInt(),
                config);
    }

    private static boolean externalIps(ObjectNode config, List<String> warnings) {
        boolean allowed = true;
        for (var gate : config.path("featureGates").properties()) {
            if (gate.getKey().equals("AllowServiceExternalIPs")) {
                allowed = gate.getValue().asBoolean();
            } else {
                warnings.add("feature gate " + gate.getKey() + " has no effect here");
            }
        }
        return allowed;
    }

    private record ModeChoice(ProxyMode mode, String reason) {}

    private static ModeChoice mode(String word, Supplier<NodeFeatures> features)
            throws ConfigException {
        return switch (word) {
            case "userspace" -> new ModeChoice(ProxyMode.USERSPACE, "");
            case "", "auto" -> choose(features.get());
            case "nftables" -> new ModeChoice(ProxyMode.NFTABLES, "");
            case "iptables" -> new ModeChoice(ProxyMode.IPTABLES, "");
            case "ipvs" -> new ModeChoice(ProxyMode.IPVS, "");
            default ->
                throw new ConfigException("mode: \"" + word
                        + "\" is unknown; expected auto, userspace, nftables, iptables or ipvs");
        };
    }

    /** The fastest that works; where a probe could not tell, its mode is not taken. */
    private static ModeChoice choose(NodeFeatures found) {
        String nftables = "nftables: " + found.nftables().why();
        if (found.nftables().answer() == NodeFeatures.Answer.YES) {
            return new ModeChoice(ProxyMode.NFTABLES, "chosen because " + nftables);
        }
        String iptables = nftables + "; iptables: " + found.iptables().why();
        return found.iptables().answer() == NodeFeatures.Answer.YES
                ? new ModeChoice(ProxyMode.IPTABLES, "chosen because " + iptables)
                : new ModeChoice(ProxyMode.USERSPACE, "chosen because " + iptables);
    }

    private static RuleSettings rules(
            ObjectNode config, ProxyMode mode, String section, List<String> warnings)
            throws ConfigException {
        // kube-proxy's mode ipvs takes these from the section of iptables.
        String masquerade = section.equals("ipvs") ? "iptables" : section;
        NodePortAddresses nodePorts = nodePortAddresses(config);
        boolean primary = mode == ProxyMode.NFTABLES && nodePorts.equals(NodePortAddresses.ALL);
        return new RuleSettings(
                1 << ConfigFile.get(config, masquerade + ".masqueradeBit").asInt(),
                ConfigFile.get(config, masquerade + ".masqueradeAll").asBoolean(),
                detector(config, mode, warnings),
                primary ? new NodePortAddresses(true, List.of()) : nodePorts,
                ConfigFile.get(config, "iptables.localhostNodePorts").asBoolean(),
                !ConfigFile.get(config, "conntrack.tcpBeLiberal").asBoolean());
    }

    private static LocalDetector detector(ObjectNode config, ProxyMode mode, List<String> warnings)
            throws ConfigException {
        String text = config.path("clusterCIDR").asText();
        List<Cidr> out = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",")) {
            out.add(Cidr.parse(part.strip())
                    .orElseThrow(
                            () -> new ConfigException("clusterCIDR: \"" + part + "\" is no CIDR")));
        }
        for (IpFamily family : IpFamily.values()) {
            long count = out.stream().filter(block -> block.family() == family).count();
            require(count <= 1, "clusterCIDR", text, "at most one block per family");
        }
        String detector = config.path("detectLocalMode").asText();
        String bridge = ConfigFile.get(config, "detectLocal.bridgeInterface").asText();
        String prefix =
                ConfigFile.get(config, "detectLocal.interfaceNamePrefix").asText();
        if (mode == ProxyMode.USERSPACE
                && (detector.endsWith("Interface") || detector.endsWith("Prefix"))) {
            warnings.add("detectLocalMode " + detector
                    + " needs a kernel mode; in mode userspace no client counts as a local pod");
        }
        return switch (detector) {
            case "", "ClusterCIDR" ->
                out.isEmpty() ? new LocalDetector.None() : new LocalDetector.Source(out);
            // Known only once the node is: ProxyConfig.withDetector.
            case "NodeCIDR" -> new LocalDetector.None();
            case "BridgeInterface" -> {
                require(!bridge.isEmpty(), "detectLocal.bridgeInterface", "\"\"", "a name");
                yield new LocalDetector.Bridge(bridge);
            }
            case "InterfaceNamePrefix" -> {
                require(!prefix.isEmpty(), "detectLocal.interfaceNamePrefix", "\"\"", "a name");
                yield new LocalDetector.Prefix(prefix);
            }
            default ->
                throw new ConfigException(
                        "detectLocalMode: \"" + detector
                                + "\" is unknown; expected ClusterCIDR, NodeCIDR, BridgeInterface or InterfaceNamePrefix");
        };
    }

    private static NodePortAddresses nodePortAddresses(ObjectNode config) throws ConfigException {
        List<String> entries = new ArrayList<>();
        config.path("nodePortAddresses").forEach(entry -> entries.add(entry.asText()));
        try {
            return NodePortAddresses.parse(entries);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(e.getMessage());
        }
    }

    /** {@code host:port}; a bare address gets the default port, and IPv4 defaults follow an IPv6 bind address. */
    private static String address(String field, ObjectNode config, boolean v6, int defaultPort)
            throws ConfigException {
        String text = config.path(field).asText();
        if (text.isEmpty()) {
            return "";
        }
        if (v6 && text.equals(ConfigField.find(field).orElseThrow().defaultText())) {
            return field.startsWith("metrics") ? "[::1]:" + defaultPort : "[::]:" + defaultPort;
        }
        if (IpAddress.parse(text).isPresent()) {
            return IpAddress.of(text).withPort(defaultPort);
        }
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        String port = text.substring(colon + 1);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        Optional<IpAddress> ip =
                IpAddress.parse(bracketed ? host.substring(1, host.length() - 1) : host);
        boolean hostValid = ip.isPresent() && bracketed == host.contains(":");
        boolean portValid = port.matches("[0-9]{1,5}") && Integer.parseInt(port) <= 65_535;
        require(hostValid && portValid, field, text, "IP:PORT, IPv6 in brackets");
        return port.equals("0") ? "" : text;
    }
}
