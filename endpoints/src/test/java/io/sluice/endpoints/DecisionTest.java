package io.sluice.endpoints;

import static io.sluice.endpoints.AnEndpoint.at;
import static io.sluice.endpoints.Frontend.Kind.CLUSTER_IP;
import static io.sluice.endpoints.Frontend.Kind.EXTERNAL_IP;
import static io.sluice.endpoints.Frontend.Kind.LOAD_BALANCER;
import static io.sluice.endpoints.Frontend.Kind.NODE_PORT;
import static io.sluice.endpoints.SourceClass.NODE;
import static io.sluice.endpoints.SourceClass.OUTSIDE;
import static io.sluice.endpoints.SourceClass.POD;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Frontend.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.EnumMap;
import java.util.Map;

/** The decision table: kind of frontend and policy × state of the endpoints × where the client is. */
class DecisionTest {
    private static final Map<SourceClass, IpAddress> SOURCES = new EnumMap<>(Map.of(
            OUTSIDE, IpAddress.of("198.51.100.77"),
            POD, IpAddress.of("10.244.1.77"),
            NODE, IpAddress.of("192.0.2.1")));

    /** Endpoints by what the row says: {@code none}, {@code remote} (no local one), or {@code both}. */
    private static ServicePortImage port(AService service, String state) {
        ASlice slice = ASlice.named("web-1").http();
        switch (state) {
            case "none" -> slice.endpoint(at("10.244.2.1").notReady());
            case "remote" -> slice.endpoint(at("10.244.2.1"));
            case "both" ->
                slice.endpoint(at("10.244.2.1")).endpoint(at("10.244.1.1").on("node-1"));
            default -> throw new IllegalArgumentException("no such state: " + state);
        }
        return Views.only(
                service.nodePort(30080).externalIps("198.51.100.1").build(), slice.build());
    }

    /** {@code cluster} or {@code local} list, {@code +masq} where the client's address is replaced, {@code reject}, {@code drop}. */
    private static String decide(ServicePortImage port, Kind kind, SourceClass from) {
        return word(port, Decision.of(port, kind, from, SOURCES.get(from)));
    }

    private static String word(ServicePortImage port, Decision decision) {
        return switch (decision) {
            case Decision.Reject reject -> "reject";
            case Decision.Drop drop -> "drop";
            case Decision.Forward forward -> {
                boolean cluster = forward.backends().equals(port.endpoints().cluster());
                assertThat(cluster || forward.backends().equals(port.endpoints().local()))
                        .isTrue();
                yield (cluster ? "cluster" : "local") + (forward.keepSource() ? "" : "+masq");
            }
        };
    }

    @ParameterizedTest(name = "{0}, policy {1}, endpoints {2}: outside {3}, pod {4}, node {5}")
    @CsvSource({
        "CLUSTER_IP,    Cluster, none,   reject,       reject,       reject",
        "CLUSTER_IP,    Local,   none,   reject,       reject,       reject",
        "EXTERNAL_IP,   Cluster, none,   reject,       reject,       reject",
        "EXTERNAL_IP,   Local,   none,   reject,       reject,       reject",
        "LOAD_BALANCER, Cluster, none,   reject,       reject,       reject",
        "LOAD_BALANCER, Local,   none,   reject,       reject,       reject",
        "NODE_PORT,     Cluster, none,   reject,       reject,       reject",
        "NODE_PORT,     Local,   none,   reject,       reject,       reject",
        "CLUSTER_IP,    Cluster, both,   cluster+masq, cluster,      cluster+masq",
        "CLUSTER_IP,    Cluster, remote, cluster+masq, cluster,      cluster+masq",
        "CLUSTER_IP,    Local,   both,   local+masq,   local,        local+masq",
        "CLUSTER_IP,    Local,   remote, drop,         drop,         drop",
        "EXTERNAL_IP,   Cluster, both,   cluster+masq, cluster+masq, cluster+masq",
        "LOAD_BALANCER, Cluster, both,   cluster+masq, cluster+masq, cluster+masq",
        "NODE_PORT,     Cluster, both,   cluster+masq, cluster+masq, cluster+masq",
        "EXTERNAL_IP,   Cluster, remote, cluster+masq, cluster+masq, cluster+masq",
        "LOAD_BALANCER, Cluster, remote, cluster+masq, cluster+masq, cluster+masq",
        "NODE_PORT,     Cluster, remote, cluster+masq, cluster+masq, cluster+masq",
        "EXTERNAL_IP,   Local,   both,   local,        cluster,      cluster+masq",
        "LOAD_BALANCER, Local,   both,   local,        cluster,      cluster+masq",
        "NODE_PORT,     Local,   both,   local,        cluster,      cluster+masq",
        "EXTERNAL_IP,   Local,   remote, drop,         cluster,      cluster+masq",
        "LOAD_BALANCER, Local,   remote, drop,         cluster,      cluster+masq",
        "NODE_PORT,     Local,   remote, drop,         cluster,      cluster+masq",
    })
    void table(Kind kind, String policy, String state, String outside, String pod, String node) {
        AService service = AService.web().vips("203.0.113.10");
        boolean local = policy.equals("Local");
        if (local && kind == CLUSTER_IP) {
            service.internalLocal();
        } else if (local) {
            service.externalLocal();
        }
        ServicePortImage port = port(service, state);

        assertThat(decide(port, kind, OUTSIDE)).as("outside").isEqualTo(outside);
        assertThat(decide(port, kind, POD)).as("pod").isEqualTo(pod);
        assertThat(decide(port, kind, NODE)).as("node").isEqualTo(node);
    }

    @Test
    void eachPolicyConcernsItsOwnFrontends() {
        ServicePortImage external =
                port(AService.web().vips("203.0.113.10").externalLocal(), "remote");
        ServicePortImage internal =
                port(AService.web().vips("203.0.113.10").internalLocal(), "remote");

        assertThat(decide(external, CLUSTER_IP, OUTSIDE)).isEqualTo("cluster+masq");
        assertThat(decide(internal, NODE_PORT, OUTSIDE)).isEqualTo("cluster+masq");
        assertThat(decide(internal, EXTERNAL_IP, OUTSIDE)).isEqualTo("cluster+masq");
    }

    @ParameterizedTest(name = "ranges {0}, source {1} ({2}): VIP {3}")
    @CsvSource({
        "198.51.100.0/24, 198.51.100.77, OUTSIDE, cluster+masq",
        "198.51.100.0/24, 198.51.101.77, OUTSIDE, drop",
        "198.51.100.0/24, 10.244.1.77,   POD,     drop",
        "10.244.0.0/16,   10.244.1.77,   POD,     cluster+masq",
        "198.51.100.0/24, 192.0.2.1,     NODE,    drop",
        "192.0.2.0/24,    192.0.2.1,     NODE,    cluster+masq",
        "192.0.2.0/24,    203.0.113.10,  NODE,    cluster+masq",
        "198.51.100.0/24, 203.0.113.10,  NODE,    drop",
        "0.0.0.0/0,       198.51.101.77, OUTSIDE, cluster+masq",
        "2001:db8::/32,   198.51.100.77, OUTSIDE, drop",
    })
    void sourceRanges(String ranges, String source, SourceClass from, String vip) {
        ServicePortImage port =
                port(AService.web().vips("203.0.113.10").sourceRanges(ranges), "both");
        IpAddress address = IpAddress.of(source);

        assertThat(word(port, Decision.of(port, LOAD_BALANCER, from, address))).isEqualTo(vip);
        for (Kind open : new Kind[] {CLUSTER_IP, EXTERNAL_IP, NODE_PORT}) {
            assertThat(Decision.of(port, open, from, address))
                    .as("ranges protect VIPs alone, not %s", open)
                    .isInstanceOf(Decision.Forward.class);
        }
    }

    @Test
    void anAdmittedClientOfALocalServiceIsStillDroppedWithoutLocalEndpoint() {
        ServicePortImage port = port(
                AService.web()
                        .vips("203.0.113.10")
                        .externalLocal()
                        .sourceRanges("198.51.100.0/24", "10.244.0.0/16"),
                "remote");

        assertThat(decide(port, LOAD_BALANCER, OUTSIDE)).isEqualTo("drop");
        assertThat(decide(port, LOAD_BALANCER, POD)).isEqualTo("cluster");
        assertThat(decide(port, LOAD_BALANCER, NODE)).as("outside the ranges").isEqualTo("drop");
    }

    @Test
    void aDecisionSaysWhy() {
        ServicePortImage none = port(AService.web(), "none");
        ServicePortImage local = port(AService.web().externalLocal(), "remote");
        ServicePortImage ranges =
                port(AService.web().vips("203.0.113.10").sourceRanges("10.0.0.0/8"), "both");

        assertThat(Decision.of(none, CLUSTER_IP, OUTSIDE, SOURCES.get(OUTSIDE)))
                .isEqualTo(new Decision.Reject(
                        "Service shop/web:http has no usable endpoint on any node"));
        assertThat(Decision.of(local, NODE_PORT, OUTSIDE, SOURCES.get(OUTSIDE)))
                .isEqualTo(new Decision.Drop(
                        "externalTrafficPolicy is Local and no endpoint is on this node"));
        assertThat(Decision.of(ranges, LOAD_BALANCER, OUTSIDE, SOURCES.get(OUTSIDE)))
                .isEqualTo(new Decision.Drop(
                        "198.51.100.77 is outside loadBalancerSourceRanges [10.0.0.0/8]"));
    }
}
