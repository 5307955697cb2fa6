package io.sluice.dataplane.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.dataplane.relay.LocalhostNodePorts;
import io.sluice.dataplane.relay.ServiceCounters;
import io.sluice.dataplane.relay.UserspaceApplier;
import io.sluice.endpoints.ServicePortName;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** What the relay counts per Service port; read when somebody asks. */
public final class RelayMetrics {
    private static final String[] LABELS = {"namespace", "service", "port", "protocol", "ip_family"
    };

    private RelayMetrics() {}

    public static void register(PrometheusRegistry registry, UserspaceApplier relay) {
        counter(
                registry,
                relay,
                "sluice_service_connections_total",
                "Connections and UDP flows",
                c -> c.connections);
        counter(
                registry,
                relay,
                "sluice_service_received_bytes_total",
                "Bytes from clients",
                c -> c.bytesIn);
        counter(
                registry,
                relay,
                "sluice_service_sent_bytes_total",
                "Bytes to clients",
                c -> c.bytesOut);
        counter(
                registry,
                relay,
                "sluice_service_retried_connects_total",
                "Connects to an endpoint that failed and were tried on another",
                c -> c.retried);
        counter(
                registry,
                relay,
                "sluice_service_refused_connections_total",
                "Connections that no endpoint took",
                c -> c.refused);
        counter(
                registry,
                relay,
                "sluice_service_dropped_total",
                "Connections and datagrams dropped by policy or for want of room",
                c -> c.dropped);
        GaugeWithCallback.builder()
                .name("sluice_service_open_connections")
                .help("Open connections and UDP flows")
                .labelNames(LABELS)
                .callback(callback -> relay.counters()
                        .forEach((name, counters) ->
                                callback.call(counters.open.sum(), labels(name))))
                .register(registry);
        CounterWithCallback.builder()
                .name("sluice_relay_accept_pauses_total")
                .help("Pauses in accepting because descriptors ran out")
                .callback(callback -> callback.call(relay.exhausted()))
                .register(registry);
    }

    /** kube-proxy's name for what it has from 1.37 on. */
    public static void register(PrometheusRegistry registry, LocalhostNodePorts relay) {
        GaugeWithCallback.builder()
                .name("kubeproxy_localhost_nodeport_listeners")
                .help("Sockets that listen on loopback addresses for node ports")
                .callback(callback -> callback.call(relay.listeners()))
                .register(registry);
    }

    private static void counter(
            PrometheusRegistry registry,
            UserspaceApplier relay,
            String name,
            String help,
            Function<ServiceCounters, LongAdder> field) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(LABELS)
                .callback(callback -> relay.counters()
                        .forEach((port, counters) ->
                                callback.call(field.apply(counters).sum(), labels(port))))
                .register(registry);
    }

    private static String[] labels(ServicePortName name) {
        return new String[] {
            name.service().namespace(),
            name.service().name(),
            name.port(),
            name.protocol().name(),
            name.family().text()
        };
    }
}
