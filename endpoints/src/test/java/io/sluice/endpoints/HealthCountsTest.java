package io.sluice.endpoints;

import static io.sluice.api.net.IpFamily.IPV4;
import static io.sluice.api.net.IpFamily.IPV6;
import static io.sluice.endpoints.AnEndpoint.at;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.model.EndpointSlice;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.HealthCounts.HealthCheck;

import org.junit.jupiter.api.Test;

/** What health-check servers answer. */
class HealthCountsTest {

    private static AService balanced() {
        return AService.web().vips("203.0.113.10").externalLocal().healthCheckNodePort(31000);
    }

    private static HealthCheck check(AService service, EndpointSlice... slices) {
        var counts = HealthCounts.of(Views.expand(service.build(), slices));
        assertThat(counts).hasSize(1);
        return counts.values().iterator().next();
    }

    @Test
    void countsDistinctReadyAddressesOfThisNodeOverAllPorts() {
        AService service = balanced().http().port("https", Protocol.TCP, 443, 0);
        EndpointSlice slice = ASlice.named("web-1")
                .http()
                .port("https", Protocol.TCP, 8443)
                .endpoint(at("10.244.1.1").on("node-1"))
                .endpoint(at("10.244.1.2").on("node-1"))
                .endpoint(at("10.244.1.3").on("node-1").notReady())
                .endpoint(at("10.244.2.1"))
                .build();

        assertThat(check(service, slice)).isEqualTo(new HealthCheck(31000, 2));
    }

    @Test
    void issue44311_noneOnceTheLastLocalEndpointLeft() {
        EndpointSlice remote = ASlice.named("web-1").http().ready("10.244.2.1").build();

        assertThat(check(balanced().http(), remote)).isEqualTo(new HealthCheck(31000, 0));
    }

    @Test
    void issue44311_noneWhileATerminatingOneStillServes() {
        EndpointSlice leaving = ASlice.named("web-1")
                .http()
                .endpoint(at("10.244.1.1").on("node-1").leaving())
                .build();

        assertThat(check(balanced().http(), leaving)).isEqualTo(new HealthCheck(31000, 0));
        assertThat(Views.only(balanced().http().build(), leaving).externalBackends())
                .as("the proxy still serves stragglers")
                .hasSize(1);
    }

    @Test
    void bothFamiliesCountTheSamePods() {
        AService service =
                balanced().http().families(IPV4, IPV6).clusterIps("10.96.0.10", "2001:db8::a");

        assertThat(check(
                        service,
                        ASlice.named("web-4")
                                .http()
                                .endpoint(at("10.244.1.1").on("node-1"))
                                .build(),
                        ASlice.named("web-6")
                                .http()
                                .endpoint(at("2001:db8:2::1").on("node-1"))
                                .endpoint(at("2001:db8:2::2").on("node-1"))
                                .build()))
                .isEqualTo(new HealthCheck(31000, 2));
    }

    @Test
    void otherServicesHaveNone() {
        assertThat(HealthCounts.of(Views.expand(AService.web().http().build()))).isEmpty();
        assertThat(HealthCounts.of(
                        Views.expand(balanced().healthCheckNodePort(0).http().build())))
                .isEmpty();
    }
}
