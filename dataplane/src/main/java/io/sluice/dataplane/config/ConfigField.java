package io.sluice.dataplane.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;

import io.sluice.api.quantity.GoDuration;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * One field of KubeProxyConfiguration {@code kubeproxy.config.k8s.io/v1alpha1}.
 *
 * @param path with dots
 * @param defaultText as a flag would give it
 */
record ConfigField(String path, Type type, String defaultText) {

    /** What a field holds. */
    enum Type {
        TEXT,
        BOOL,
        INT,
        DURATION,
        TEXTS,
        MAP
    }

    /** Every field of the version Kubernetes 1.36 reads, with its default on Linux. */
    static final List<ConfigField> ALL = parse("""
            clientConnection.kubeconfig TEXT
            clientConnection.acceptContentTypes TEXT
            clientConnection.contentType TEXT application/vnd.kubernetes.protobuf
            clientConnection.qps INT 5
            clientConnection.burst INT 10
            featureGates MAP
            logging.format TEXT text
            logging.flushFrequency DURATION 5s
            logging.verbosity INT 0
            logging.vmodule MAP
            logging.options MAP
            hostnameOverride TEXT
            bindAddress TEXT 0.0.0.0
            healthzBindAddress TEXT 0.0.0.0:10256
            metricsBindAddress TEXT 127.0.0.1:10249
            bindAddressHardFail BOOL false
            enableProfiling BOOL false
            showHiddenMetricsForVersion TEXT
            mode TEXT
            iptables.masqueradeBit INT 14
            iptables.masqueradeAll BOOL false
            iptables.localhostNodePorts BOOL true
            iptables.syncPeriod DURATION 30s
            iptables.minSyncPeriod DURATION 1s
            ipvs.syncPeriod DURATION 30s
            ipvs.minSyncPeriod DURATION 0s
            ipvs.scheduler TEXT
            ipvs.excludeCIDRs TEXTS
            ipvs.strictARP BOOL false
            ipvs.tcpTimeout DURATION 0s
            ipvs.tcpFinTimeout DURATION 0s
            ipvs.udpTimeout DURATION 0s
            nftables.masqueradeBit INT 14
            nftables.masqueradeAll BOOL false
            nftables.syncPeriod DURATION 30s
            nftables.minSyncPeriod DURATION 1s
            winkernel.networkName TEXT
            winkernel.sourceVip TEXT
            winkernel.enableDSR BOOL false
            winkernel.rootHnsEndpointName TEXT
            winkernel.forwardHealthCheckVip BOOL false
            detectLocalMode TEXT
            detectLocal.bridgeInterface TEXT
            detectLocal.interfaceNamePrefix TEXT
            clusterCIDR TEXT
            nodePortAddresses TEXTS
            oomScoreAdj INT -999
            conntrack.maxPerCore INT 32768
            conntrack.min INT 131072
            conntrack.tcpEstablishedTimeout DURATION 24h
            conntrack.tcpCloseWaitTimeout DURATION 1h
            conntrack.tcpBeLiberal BOOL false
            conntrack.udpTimeout DURATION 0s
            conntrack.udpStreamTimeout DURATION 0s
            configSyncPeriod DURATION 15m
            portRange TEXT
            windowsRunAsService BOOL false
            """);

    private static List<ConfigField> parse(String table) {
        return table.lines()
                .map(line -> line.split(" "))
                .map(words -> new ConfigField(
                        words[0], Type.valueOf(words[1]), words.length > 2 ? words[2] : ""))
                .toList();
    }

    static Optional<ConfigField> find(String path) {
        return ALL.stream().filter(field -> field.path().equals(path)).findFirst();
    }

    /** The section a dotted path begins with, for every path that has one. */
    static boolean isSection(String name) {
        return ALL.stream().anyMatch(field -> field.path().startsWith(name + '.'));
    }

    /** Reads a flag's text. @throws ConfigException where it is not of the field's type */
    JsonNode fromText(String where, String text) throws ConfigException {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (type) {
            case TEXT -> TextNode.valueOf(text);
            case BOOL ->
                switch (text) {
                    case "true", "" -> BooleanNode.TRUE;
                    case "false" -> BooleanNode.FALSE;
                    default -> throw wrong(where, text, "true or false");
                };
            case INT -> {
                if (!text.matches("-?[0-9]{1,10}")) {
                    throw wrong(where, text, "a whole number");
                }
                BigInteger value = new BigInteger(text);
                yield value.bitLength() < 32
                        ? IntNode.valueOf(value.intValue())
                        : BigIntegerNode.valueOf(value);
            }
            case DURATION -> {
                if (GoDuration.parse(text).isEmpty()) {
                    throw wrong(where, text, "a duration like 30s or 1h30m");
                }
                yield TextNode.valueOf(text);
            }
            case TEXTS -> {
                var array = nodes.arrayNode();
                for (String item : text.split(",")) {
                    if (!item.isBlank()) {
                        array.add(item.strip());
                    }
                }
                yield array;
            }
            case MAP -> {
                var object = nodes.objectNode();
                for (String item : text.split(",")) {
                    int equals = item.indexOf('=');
                    if (equals > 0) {
                        String value = item.substring(equals + 1);
                        object.put(item.substring(0, equals).strip(), Boolean.parseBoolean(value));
                    } else if (!item.isBlank()) {
                        throw wrong(where, item, "Name=true or Name=false");
                    }
                }
                yield object;
            }
        };
    }

    /** Whether a value in a file has the field's type. */
    boolean accepts(JsonNode value) {
        return switch (type) {
            case TEXT -> value.isTextual();
            case BOOL -> value.isBoolean();
            case INT -> value.isNumber();
            case DURATION ->
                value.isTextual() && GoDuration.parse(value.textValue()).isPresent();
            case TEXTS -> value.isArray();
            case MAP -> value.isObject() || value.isArray();
        };
    }

    private ConfigException wrong(String where, String text, String expected) {
        return new ConfigException(where + ": \"" + text + "\" is not " + expected);
    }
}
