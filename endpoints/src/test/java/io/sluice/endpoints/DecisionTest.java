package io.sluice.endpoints;

import static io.sluice.endpoints.Fixtures.image;
import static io.sluice.endpoints.Fixtures.ready;
import static io.sluice.endpoints.Fixtures.service;
import static io.sluice.endpoints.Fixtures.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Frontend.Kind;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Stream;

/** The decision table all modes share: frontend, policy, endpoints, and what clients of each class get. */
class DecisionTest {
    private static final IpAddress CLIENT = IpAddress.of("203.0.113.9");

    /** What the three columns say: who receives, or how it ends. */
    private static String outcome(ServicePortImage port, Kind kind, SourceClass from) {
        return switch (Decision.of(port, kind, from, CLIENT)) {
            case Decision.Forward forward ->
                (forward.backends().size() == 2 ? "cluster" : "local")
                        + (forward.keepSource() ? "" : "+masq");
            case Decision.Reject reject -> "reject";
            case Decision.Drop drop -> "drop";
        };
    }

    private static EndpointSlice[] endpoints(String where) {
        return switch (where) {
            case "both" ->
                new EndpointSlice[] {
                    slice(
                            "web-1",
                            "web",
                            ready("10.244.1.1", "node-1"),
                            ready("10.244.2.2", "node-2"))
                };
            case "remote" ->
                new EndpointSlice[] {
                    slice(
                            "web-1",
                            "web",
                            ready("10.244.2.2", "node-2"),
                            ready("10.244.3.3", "node-3"))
                };
            default -> new EndpointSlice[0];
        };
    }

    @ParameterizedTest(name = "{0}, {1}, endpoints {2}: outside {3}, pod {4}, node {5}")
    @CsvSource({
        "CLUSTER_IP,    Cluster, none,   reject,       reject,       reject",
        "EXTERNAL_IP,   Cluster, none,   reject,       reject,       reject",
        "LOAD_BALANCER, Local,   none,   reject,       reject,       reject",
        "NODE_PORT,     Local,   none,   reject,       reject,       reject",
        "CLUSTER_IP,    Cluster, both,   cluster+masq, cluster,      cluster+masq",
        "CLUSTER_IP,    Local,   both,   local+masq,   local,        local+masq",
        "CLUSTER_IP,    Local,   remote, drop,         drop,         drop",
        "EXTERNAL_IP,   Cluster, both,   cluster+masq, cluster+masq, cluster+masq",
        "LOAD_BALANCER, Cluster, remote, cluster+masq, cluster+masq, cluster+masq",
        "NODE_PORT,     Cluster, both,   cluster+masq, cluster+masq, cluster+masq",
        "EXTERNAL_IP,   Local,   both,   local,        cluster,      cluster+masq",
        "LOAD_BALANCER, Local,   both,   local,        cluster,      cluster+masq",
        "NODE_PORT,     Local,   both,   local,        cluster,      cluster+masq",
        "EXTERNAL_IP,   Local,   remote, drop,         cluster,      cluster+masq",
        "LOAD_BALANCER, Local,   remote, drop,         cluster,      cluster+masq",
        "NODE_PORT,     Local,   remote, drop,         cluster,      cluster+masq",
    })
    void followsTheTable(
            Kind kind, String policy, String where, String outside, String pod, String node) {
        boolean local = policy.equals("Local");
        ServicePortImage port = image(
                service("web", "10.96.0.1")
                        .type(ServiceType.LOAD_BALANCER)
                        .nodePort(30080)
                        .externalIps("203.0.113.1")
                        .vip("198.51.100.1", false)
                        .externalLocal(local && kind != Kind.CLUSTER_IP)
                        .internalLocal(local && kind == Kind.CLUSTER_IP)
                        .build(),
                endpoints(where));
        assertThat(Stream.of(SourceClass.values()).map(from -> outcome(port, kind, from)))
                .containsExactly(outside, pod, node);
    }

    @ParameterizedTest
    @CsvSource({"203.0.113.0/24, cluster+masq", "10.0.0.0/8, drop"})
    void sourceRangesGuardVips(String range, String expected) {
        ServicePortImage port = image(
                service("web", "10.96.0.1")
                        .type(ServiceType.LOAD_BALANCER)
                        .nodePort(30080)
                        .vip("198.51.100.1", false)
                        .ranges(range)
                        .build(),
                endpoints("both"));
        assertThat(outcome(port, Kind.LOAD_BALANCER, SourceClass.OUTSIDE)).isEqualTo(expected);
        assertThat(outcome(port, Kind.NODE_PORT, SourceClass.OUTSIDE)).isEqualTo("cluster+masq");
    }
}
