package io.sluice.endpoints;

import static io.sluice.api.net.IpFamily.IPV4;
import static io.sluice.api.net.IpFamily.IPV6;
import static io.sluice.endpoints.AService.addresses;
import static io.sluice.endpoints.AService.named;
import static io.sluice.endpoints.AService.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.Protocol;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Stream;

/** Which Service ports there are, and what their fields say. */
class ServiceExpanderTest {

    private static List<ServicePortImage> expand(AService service) {
        return ServiceExpander.expand(service.build(), Views.NODE);
    }

    private static ServicePortImage only(AService service) {
        List<ServicePortImage> all = expand(service);
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    static Stream<Arguments> notServed() {
        AService everything = web().nodePort(30080)
                .externalIps("198.51.100.1")
                .vips("203.0.113.10")
                .clusterIps();
        return Stream.of(
                Arguments.of("cluster IP None", web().http().headless()),
                Arguments.of("cluster IP not allocated yet", everything),
                Arguments.of("ExternalName", web().http().type(ServiceType.EXTERNAL_NAME)),
                Arguments.of("label service-proxy-name", web().http().otherProxy()),
                Arguments.of("no ports", web()),
                Arguments.of(
                        "families without a cluster IP of theirs", web().http().families(IPV6)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void notServed(String why, AService service) {
        assertThat(expand(service)).as(why).isEmpty();
    }

    @Test
    void aFamilyLeftOutHasNoPartOfItsOwnAtAll() {
        ServicePortImage port = only(web().families(IPV4)
                .port("http", Protocol.TCP, 80, 30080)
                .externalIps("198.51.100.1", "2001:db8::5")
                .vips("203.0.113.10", "2001:db8::10")
                .sourceRanges("10.0.0.0/8", "2001:db8::/32"));

        assertThat(port.name().family()).isEqualTo(IPV4);
        assertThat(port.externalIps()).isEqualTo(addresses("198.51.100.1"));
        assertThat(port.vips()).isEqualTo(addresses("203.0.113.10"));
        assertThat(port.sourceRanges()).containsExactly(Cidr.of("10.0.0.0/8"));
    }

    @Test
    void familiesDecideWhichClusterIpIsWhose() {
        List<ServicePortImage> both =
                expand(web().http().families(IPV6, IPV4).clusterIps("2001:db8::a", "10.96.0.10"));

        assertThat(both)
                .extracting(port -> port.name().family() + " " + port.clusterIp())
                .containsExactly("IPV4 10.96.0.10", "IPV6 2001:db8::a");
    }

    @Test
    void withoutFamiliesTheClusterIpTells() {
        assertThat(only(web().http().clusterIps("2001:db8::a")).name().family()).isEqualTo(IPV6);
    }

    @Test
    void onePerPortAndProtocol() {
        List<ServicePortImage> ports = expand(web().port("dns", Protocol.UDP, 53, 0)
                .port("dns-tcp", Protocol.TCP, 53, 0)
                .port("sctp", Protocol.SCTP, 53, 0));

        assertThat(ports)
                .extracting(port -> port.name() + " " + port.name().protocol() + " " + port.port())
                .containsExactly(
                        "shop/web:dns UDP 53", "shop/web:dns-tcp TCP 53", "shop/web:sctp SCTP 53");
    }

    @Test
    void theUnnamedPortIsPrintedWithoutColon() {
        assertThat(only(web().port("", Protocol.TCP, 80, 0)).name()).hasToString("shop/web");
    }

    @Test
    void ofTwoPortsWithOneNameTheLaterCounts() {
        assertThat(only(web().http().port("http", Protocol.TCP, 81, 0)).port()).isEqualTo(81);
    }

    @Test
    void addressesThatRepeatAreCapturedOnce() {
        ServicePortImage port = only(web().http()
                .externalIps("10.96.0.10", "198.51.100.1", "198.51.100.1", "203.0.113.10")
                .vips("203.0.113.10", "203.0.113.10", "10.96.0.10"));

        assertThat(port.externalIps())
                .as("the VIP keeps its address, and with it the source ranges")
                .isEqualTo(addresses("198.51.100.1"));
        assertThat(port.vips()).isEqualTo(addresses("203.0.113.10"));
    }

    @Test
    void aVipInProxyModeIsLeftToItsBalancer() {
        ServicePortImage port = only(web().http().vips("203.0.113.10").proxyVip("203.0.113.11"));

        assertThat(port.vips()).isEqualTo(addresses("203.0.113.10"));
    }

    @Test
    void aProxyModeVipListedAsExternalIpIsCapturedAsSuch() {
        ServicePortImage port =
                only(web().http().proxyVip("203.0.113.11").externalIps("203.0.113.11"));

        assertThat(port.vips()).isEmpty();
        assertThat(port.externalIps()).isEqualTo(addresses("203.0.113.11"));
    }

    @Test
    void aStatusThatAnotherTypeLeftBehindIsNoVip() {
        assertThat(only(web().http().vips("203.0.113.10").type(ServiceType.CLUSTER_IP))
                        .vips())
                .isEmpty();
    }

    static Stream<Arguments> externalPolicy() {
        return Stream.of(
                Arguments.of(ServiceType.CLUSTER_IP, false, false),
                Arguments.of(ServiceType.CLUSTER_IP, true, true),
                Arguments.of(ServiceType.NODE_PORT, false, true),
                Arguments.of(ServiceType.LOAD_BALANCER, false, true));
    }

    @ParameterizedTest(name = "{0}, external IPs {1}: Local in effect {2}")
    @MethodSource
    void externalPolicy(ServiceType type, boolean externalIps, boolean effective) {
        AService service = web().type(type).http().externalLocal();
        Service built = (externalIps ? service.externalIps("198.51.100.1") : service).build();

        ServicePortImage port = ServiceExpander.expand(built, Views.NODE).getFirst();

        assertThat(port.externalLocal()).isEqualTo(effective);
        assertThat(port.internalLocal()).isFalse();
    }

    static Stream<Arguments> healthCheck() {
        return Stream.of(
                Arguments.of(ServiceType.LOAD_BALANCER, true, 31000),
                Arguments.of(ServiceType.LOAD_BALANCER, false, 0),
                Arguments.of(ServiceType.NODE_PORT, true, 0));
    }

    @ParameterizedTest(name = "{0}, external policy Local {1}: health-check port {2}")
    @MethodSource
    void healthCheck(ServiceType type, boolean local, int port) {
        AService service = web().type(type).http().healthCheckNodePort(31000);

        assertThat(only(local ? service.externalLocal() : service).healthCheckNodePort())
                .isEqualTo(port);
    }

    static Stream<Arguments> sourceRanges() {
        return Stream.of(
                Arguments.of("none: everybody", List.of(), List.of(), false),
                Arguments.of(
                        "some: they apply",
                        List.of("10.0.0.0/8", "10.0.0.0/8"),
                        List.of("10.0.0.0/8"),
                        true),
                Arguments.of(
                        "/0 lifts all",
                        List.of("10.0.0.0/8", "0.0.0.0/0"),
                        List.of("10.0.0.0/8", "0.0.0.0/0", "203.0.113.10/32"),
                        false),
                Arguments.of("another family's /0 does not", List.of("::/0"), List.of(), true),
                Arguments.of(
                        "only the other family: nobody of ours",
                        List.of("2001:db8::/32"),
                        List.of(),
                        true),
                Arguments.of(
                        "the node is admitted: so is the VIP as a source",
                        List.of("192.0.2.0/24"),
                        List.of("192.0.2.0/24", "203.0.113.10/32"),
                        true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void sourceRanges(String why, List<String> given, List<String> ranges, boolean restricted) {
        ServicePortImage port =
                only(web().http().vips("203.0.113.10").sourceRanges(given.toArray(String[]::new)));

        assertThat(port.vipsRestricted()).as(why).isEqualTo(restricted);
        assertThat(port.sourceRanges()).extracting(Cidr::toString).isEqualTo(ranges);
    }

    @Test
    void affinityAndNodePortAreTaken() {
        ServicePortImage port = only(named("sticky").nodePort(30080).affinity(7200));

        assertThat(port.affinitySeconds()).isEqualTo(7200);
        assertThat(port.nodePort()).isEqualTo(30080);
    }

    @Test
    void withoutNodePortsAllocatedTheVipStillWorks() {
        assertThat(Frontends.of(only(web().http().vips("203.0.113.10"))))
                .extracting(Frontend::toString)
                .containsExactly(
                        "cluster IP 10.96.0.10:80/tcp", "load-balancer IP 203.0.113.10:80/tcp");
    }
}
