package io.sluice.dataplane.sysctl;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.quantity.GoDuration;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What section {@code conntrack} of the configuration asks of the kernel. Pure.
 *
 * @param most entries of the table; 0 to leave it
 * @param values by name below {@code net.netfilter}, in the order they are set
 */
public record ConntrackSettings(long most, Map<String, Long> values) {
    /** More than this takes memory that no node's connections need. */
    private static final long CEILING = 1_048_576;

    /**
     * Of a complete configuration.
     *
     * @param config all fields of KubeProxyConfiguration, defaults filled in
     * @param cpus of the machine, whatever a cgroup allows of them
     */
    public static ConntrackSettings of(JsonNode config, int cpus) {
        JsonNode section = config.path("conntrack");
        long perCore = section.path("maxPerCore").asLong();
        long most = perCore <= 0
                ? 0
                // The minimum comes last, so that it may pass the ceiling.
                : Math.max(
                        Math.min(perCore * cpus, CEILING), section.path("min").asLong());
        Map<String, Long> values = new LinkedHashMap<>();
        putSeconds(
                values, "nf_conntrack_tcp_timeout_established", section, "tcpEstablishedTimeout");
        putSeconds(values, "nf_conntrack_tcp_timeout_close_wait", section, "tcpCloseWaitTimeout");
        if (section.path("tcpBeLiberal").asBoolean()) {
            values.put("nf_conntrack_tcp_be_liberal", 1L);
        }
        putSeconds(values, "nf_conntrack_udp_timeout", section, "udpTimeout");
        putSeconds(values, "nf_conntrack_udp_timeout_stream", section, "udpStreamTimeout");
        return new ConntrackSettings(most, values);
    }

    /** Zero leaves the kernel's own. */
    private static void putSeconds(
            Map<String, Long> values, String name, JsonNode section, String field) {
        long seconds = GoDuration.parse(section.path(field).asText())
                .map(Duration::toSeconds)
                .orElse(0L);
        if (seconds > 0) {
            values.put(name, seconds);
        }
    }
}
