package io.sluice.dataplane.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;

import io.sluice.api.quantity.GoDuration;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One field of KubeProxyConfiguration {@code kubeproxy.config.k8s.io/v1alpha1}.
 *
 * @param path with dots
 * @param defaultText as a flag would give it
 * @param zeroIsUnset whether zero in a file means the default: kubeadm writes every field, and {@code
 *     0s} where it set nothing
 */
record ConfigField(String path, Type type, String defaultText, boolean zeroIsUnset) {

    /** What a field holds. */
    enum Type {
        TEXT,
        BOOL,
        /** A whole number of 32 bits. */
        INT,
        NUMBER,
        /** A text such as {@code 1m30s}. */
        DURATION,
        /** The same, or a number of nanoseconds, as the logging options of all components have it. */
        PERIOD,
        TEXTS,
        MAP
    }

    /** Every field of the version Kubernetes 1.36 reads, with its default on Linux. */
    static final List<ConfigField> ALL = parse("""
            clientConnection.kubeconfig TEXT
            clientConnection.acceptContentTypes TEXT
            clientConnection.contentType TEXT application/vnd.kubernetes.protobuf
            clientConnection.qps NUMBER 5 0
            clientConnection.burst INT 10 0
            featureGates MAP
            logging.format TEXT text
            logging.flushFrequency PERIOD 5s 0
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
            iptables.syncPeriod DURATION 30s 0
            iptables.minSyncPeriod DURATION 1s 0
            ipvs.syncPeriod DURATION 30s 0
            ipvs.minSyncPeriod DURATION 0s
            ipvs.scheduler TEXT
            ipvs.excludeCIDRs TEXTS
            ipvs.strictARP BOOL false
            ipvs.tcpTimeout DURATION 0s
            ipvs.tcpFinTimeout DURATION 0s
            ipvs.udpTimeout DURATION 0s
            nftables.masqueradeBit INT 14
            nftables.masqueradeAll BOOL false
            nftables.syncPeriod DURATION 30s 0
            nftables.minSyncPeriod DURATION 1s 0
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
            configSyncPeriod DURATION 15m 0
            portRange TEXT
            windowsRunAsService BOOL false
            """);

    private static List<ConfigField> parse(String table) {
        return table.lines()
                .map(line -> line.split(" "))
                .map(words -> new ConfigField(
                        words[0],
                        Type.valueOf(words[1]),
                        words.length > 2 ? words[2] : "",
                        words.length > 3))
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
        return switch (type) {
            case TEXT -> TextNode.valueOf(text);
            case BOOL -> bool(where, text, text);
            case INT -> {
                long value =
                        text.matches("[-+]?[0-9]{1,10}") ? Long.parseLong(text) : Long.MAX_VALUE;
                if (value != (int) value) {
                    throw wrong(where, text, "a whole number of 32 bits");
                }
                yield IntNode.valueOf((int) value);
            }
            case NUMBER -> {
                if (!text.matches("[-+]?[0-9]{1,15}(\\.[0-9]{1,15})?")) {
                    throw wrong(where, text, "a number");
                }
                yield DecimalNode.valueOf(new BigDecimal(text));
            }
            case DURATION, PERIOD -> {
                if (GoDuration.parse(text).isEmpty()) {
                    throw wrong(where, text, "a duration like 30s or 1h30m");
                }
                yield TextNode.valueOf(text);
            }
            case TEXTS -> {
                var array = JsonNodeFactory.instance.arrayNode();
                for (String item : text.split(",")) {
                    if (!item.isBlank()) {
                        array.add(item.strip());
                    }
                }
                yield array;
            }
            case MAP -> switches(where, text);
        };
    }

    /** {@code Name=true,Other=false}. */
    private ObjectNode switches(String where, String text) throws ConfigException {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        for (String item : text.split(",")) {
            int equals = item.indexOf('=');
            if (equals > 0) {
                String value = item.substring(equals + 1).strip();
                object.set(item.substring(0, equals).strip(), bool(where, item, value));
            } else if (!item.isBlank()) {
                throw wrong(where, item, "Name=true or Name=false");
            }
        }
        return object;
    }

    private BooleanNode bool(String where, String text, String word) throws ConfigException {
        return switch (word) {
            case "true", "True", "TRUE", "t", "T", "1" -> BooleanNode.TRUE;
            case "false", "False", "FALSE", "f", "F", "0" -> BooleanNode.FALSE;
            default -> throw wrong(where, text, "true or false");
        };
    }

    /** Whether a value in a file has the field's type. */
    boolean accepts(JsonNode value) {
        boolean duration =
                value.isTextual() && GoDuration.parse(value.textValue()).isPresent();
        return switch (type) {
            case TEXT -> value.isTextual();
            case BOOL -> value.isBoolean();
            case INT -> value.isIntegralNumber() && value.canConvertToInt();
            case NUMBER -> value.isNumber();
            case DURATION -> duration;
            case PERIOD -> duration || value.isIntegralNumber() && value.canConvertToLong();
            case TEXTS -> value.isArray() && allTexts(value);
            case MAP -> value.isObject() || value.isArray();
        };
    }

    private static boolean allTexts(JsonNode array) {
        for (JsonNode item : array) {
            if (!item.isTextual()) {
                return false;
            }
        }
        return true;
    }

    /** Whether a value in a file, one of the field's type, stands for the default. */
    boolean isUnset(JsonNode value) {
        return switch (type) {
            case TEXT -> value.textValue().isEmpty();
            case INT, NUMBER -> zeroIsUnset && value.decimalValue().signum() == 0;
            case DURATION, PERIOD ->
                zeroIsUnset
                        && (value.isNumber()
                                ? value.longValue() == 0
                                : GoDuration.parse(value.textValue())
                                        .filter(Duration::isZero)
                                        .isPresent());
            case BOOL, TEXTS, MAP -> false;
        };
    }

    /** What a value of this type looks like, for a message. */
    String expected() {
        return switch (type) {
            case TEXT -> "a text";
            case BOOL -> "true or false";
            case INT -> "a whole number of 32 bits";
            case NUMBER -> "a number";
            case DURATION -> "a duration in text like 30s or 1h30m";
            case PERIOD -> "a duration like 30s, or nanoseconds";
            case TEXTS -> "a list of texts";
            case MAP -> "a mapping";
        };
    }

    private ConfigException wrong(String where, String text, String expected) {
        return new ConfigException(where + ": \"" + text + "\" is not " + expected);
    }
}
