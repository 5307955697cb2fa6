package io.sluice.dataplane.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.dataplane.ManualClock;
import io.sluice.dataplane.relay.RelayConfig;
import io.sluice.dataplane.relay.UserspaceApplier;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Counters per Service port come with the Service, and go with it. */
class RelayMetricsTest {
    private static final IpAddress LOOPBACK = IpAddress.of("127.0.0.1");
    private static final NodeView NODE = new NodeView("node-1", "", List.of(LOOPBACK));
    private static final int SERVICES = 500;

    private final ServiceTracker tracker = new ServiceTracker(NODE);
    private final ProxyMetrics metrics = new ProxyMetrics(new ManualClock(), "v0");
    private final UserspaceApplier applier = new UserspaceApplier(
            new RelayConfig(1, List.of(), List.of(), NodePortAddresses.ALL),
            NODE,
            System::nanoTime);

    @AfterEach
    void close() {
        applier.close();
    }

    private static Service service(int number) {
        String address = "127.99." + number / 250 + '.' + (number % 250 + 1);
        return new Service(
                name(number),
                "uid",
                ServiceType.CLUSTER_IP,
                false,
                List.of(IpFamily.IPV4),
                List.of(IpAddress.of(address)),
                List.of(new ServicePort("http", Protocol.TCP, 38_080, 0)),
                List.of(),
                List.of(),
                List.of(),
                false,
                false,
                0,
                0,
                "",
                false);
    }

    private static NamespacedName name(int number) {
        return new NamespacedName("default", "s" + number);
    }

    private List<String> sync() {
        ServiceTracker.CheckOut checkOut = tracker.checkOut();
        return applier.apply(checkOut.image(), checkOut.delta());
    }

    private List<String> series(String name) {
        return new String(metrics.scrape(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(name + '{'))
                .toList();
    }

    @Test
    void shouldComeAndGoWithServices() {
        RelayMetrics.register(metrics.registry(), applier);
        applier.onNode(NODE, List.of(LOOPBACK));
        assertThat(series("sluice_service_connections_total")).isEmpty();
        for (int i = 0; i < SERVICES; i++) {
            tracker.onService(service(i));
        }
        assertThat(sync()).isEmpty();

        for (String name : List.of(
                "sluice_service_connections_total",
                "sluice_service_open_connections",
                "sluice_service_received_bytes_total",
                "sluice_service_sent_bytes_total",
                "sluice_service_retried_connects_total",
                "sluice_service_refused_connections_total",
                "sluice_service_dropped_total")) {
            assertThat(series(name))
                    .hasSize(SERVICES)
                    .contains(name + "{ip_family=\"IPv4\",namespace=\"default\",port=\"http\","
                            + "protocol=\"TCP\",service=\"s7\"} 0.0");
        }

        for (int i = 1; i < SERVICES; i++) {
            tracker.onServiceDeleted(name(i));
        }
        sync();
        assertThat(series("sluice_service_connections_total")).hasSize(1);
    }
}
