package io.sluice.endpoints;

import static io.sluice.endpoints.Fixtures.endpoint;
import static io.sluice.endpoints.Fixtures.image;
import static io.sluice.endpoints.Fixtures.ready;
import static io.sluice.endpoints.Fixtures.service;
import static io.sluice.endpoints.Fixtures.slice;
import static io.sluice.endpoints.Fixtures.texts;
import static io.sluice.endpoints.Fixtures.zoned;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.AddressType;
import io.sluice.api.model.EndpointPort;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.LeftOut.Reason;

import org.junit.jupiter.api.Test;

import java.util.List;

class EndpointChooserTest {
    private static final String POD_1 = "10.244.1.1";
    private static final String POD_2 = "10.244.2.2";
    private static final String POD_3 = "10.244.3.3";

    private static List<Reason> reasons(ServicePortImage port) {
        return port.endpoints().leftOut().stream().map(LeftOut::reason).toList();
    }

    @Test
    void readyEndpointsAreCandidatesAndOthersAreLeftOutWithReasons() {
        ServicePortImage port = image(
                service("web", "10.96.0.1").build(),
                slice(
                        "web-1",
                        "web",
                        ready(POD_1, "node-1"),
                        endpoint(POD_2, "node-2", false, true, false),
                        endpoint(POD_3, "node-3", false, true, true),
                        endpoint("10.244.4.4", "node-4", false, false, true)));
        assertThat(texts(port.endpoints().cluster())).containsExactly(POD_1 + ":8080");
        assertThat(reasons(port))
                .containsExactly(
                        Reason.NOT_READY, Reason.TERMINATING, Reason.TERMINATING_NOT_SERVING);
        assertThat(port.endpoints().leftOut().getFirst().target()).isEqualTo("pod-" + POD_2);
    }

    @Test
    void terminatingEndpointsThatServeStandInWhenNoneIsReady() {
        ServicePortImage port = image(
                service("web", "10.96.0.1").build(),
                slice(
                        "web-1",
                        "web",
                        endpoint(POD_1, "node-1", false, true, true),
                        endpoint(POD_2, "n", false, false, true)));
        assertThat(texts(port.endpoints().cluster())).containsExactly(POD_1 + ":8080");
        assertThat(port.endpoints().anywhere()).isTrue();
        assertThat(port.endpoints().localReady()).isEmpty();
    }

    /** The Local list falls back by itself, also where other nodes have ready endpoints. */
    @Test
    void localFallbackIsIndependentOfOtherNodes() {
        ServicePortImage port = image(
                service("web", "10.96.0.1").internalLocal(true).build(),
                slice(
                        "web-1",
                        "web",
                        endpoint(POD_1, "node-1", false, true, true),
                        ready(POD_2, "node-2")));
        assertThat(texts(port.internalBackends())).containsExactly(POD_1 + ":8080");
        assertThat(reasons(port)).containsExactly(Reason.OTHER_NODE);
    }

    @Test
    void zoneHintsNarrowOnlyWhenEveryReadyEndpointHasThem() {
        List<String> a = List.of("zone-a");
        List<String> b = List.of("zone-b");
        ServicePortImage narrowed = image(
                service("web", "10.96.0.1").build(),
                slice(
                        "web-1",
                        "web",
                        zoned(POD_1, "n", a, List.of()),
                        zoned(POD_2, "n", b, List.of())));
        assertThat(texts(narrowed.endpoints().cluster())).containsExactly(POD_1 + ":8080");
        assertThat(reasons(narrowed)).containsExactly(Reason.OTHER_ZONE);
        ServicePortImage mixed = image(
                service("web", "10.96.0.1").build(),
                slice("web-1", "web", zoned(POD_1, "n", a, List.of()), ready(POD_2, "n")));
        assertThat(mixed.endpoints().cluster()).hasSize(2);
        ServicePortImage elsewhere = image(
                service("web", "10.96.0.1").build(),
                slice("web-1", "web", zoned(POD_1, "n", b, List.of())));
        assertThat(elsewhere.endpoints().cluster()).hasSize(1);
    }

    @Test
    void nodeHintsComeBeforeZoneHints() {
        ServicePortImage port = image(
                service("web", "10.96.0.1").build(),
                slice(
                        "web-1",
                        "web",
                        zoned(POD_1, "n", List.of("zone-a"), List.of("node-2")),
                        zoned(POD_2, "n", List.of("zone-b"), List.of("node-1"))));
        assertThat(texts(port.endpoints().cluster())).containsExactly(POD_2 + ":8080");
        assertThat(reasons(port)).containsExactly(Reason.NOT_HINTED_NODE);
    }

    @Test
    void oneAddressInTwoSlicesIsOneEndpointAndRunningBeatsTerminating() {
        ServicePortImage port = image(
                service("web", "10.96.0.1").build(),
                slice("web-1", "web", endpoint(POD_1, "node-1", false, true, true)),
                slice("web-2", "web", ready(POD_1, "node-1")));
        assertThat(texts(port.endpoints().cluster())).containsExactly(POD_1 + ":8080");
        assertThat(port.endpoints().localReady()).hasSize(1);
    }

    /** kubernetes/kubernetes 101935. */
    @Test
    void oneAddressWithTwoPortsIsTwoEndpoints() {
        EndpointSlice other = new EndpointSlice(
                new NamespacedName("default", "web-2"),
                "web",
                false,
                AddressType.IPV4,
                List.of(ready(POD_1, "node-1")),
                List.of(new EndpointPort("http", Protocol.TCP, 9090)),
                0);
        ServicePortImage port = image(
                service("web", "10.96.0.1").build(),
                slice("web-1", "web", ready(POD_1, "node-1")),
                other);
        assertThat(texts(port.endpoints().cluster()))
                .containsExactly(POD_1 + ":8080", POD_1 + ":9090");
        assertThat(port.endpoints().localReady()).hasSize(1);
    }

    @Test
    void headlessLabelAndOtherPortsHideEndpoints() {
        EndpointSlice hidden = new EndpointSlice(
                new NamespacedName("default", "web-1"),
                "web",
                true,
                AddressType.IPV4,
                List.of(ready(POD_1, "node-1")),
                List.of(new EndpointPort("http", Protocol.TCP, 8080)),
                0);
        assertThat(reasons(image(service("web", "10.96.0.1").build(), hidden)))
                .containsExactly(Reason.HEADLESS);
        EndpointSlice udp = new EndpointSlice(
                new NamespacedName("default", "web-1"),
                "web",
                false,
                AddressType.IPV4,
                List.of(ready(POD_1, "node-1")),
                List.of(new EndpointPort("http", Protocol.UDP, 8080)),
                0);
        assertThat(reasons(image(service("web", "10.96.0.1").build(), udp)))
                .containsExactly(Reason.NO_SUCH_PORT);
    }

    @Test
    void servicesOfOthersHaveNoPorts() {
        ServiceTracker tracker = new ServiceTracker(Fixtures.NODE);
        tracker.onService(service("a", "10.96.0.1").headless(true).build());
        tracker.onService(
                service("b", "10.96.0.2").type(ServiceType.EXTERNAL_NAME).build());
        tracker.onService(service("c", "10.96.0.3").proxyNamed(true).build());
        assertThat(tracker.checkOut().image().ports()).isEmpty();
    }

    @Test
    void sourceRangesOfTheOtherFamilyLetNobodyIn() {
        ServicePortImage port = image(service("web", "10.96.0.1")
                .type(ServiceType.LOAD_BALANCER)
                .vip("198.51.100.1", false)
                .ranges("2001:db8::/32")
                .build());
        assertThat(port.vipsRestricted()).isTrue();
        assertThat(port.sourceRanges()).isEmpty();
        ServicePortImage open = image(service("web", "10.96.0.1")
                .type(ServiceType.LOAD_BALANCER)
                .vip("198.51.100.1", false)
                .ranges("10.0.0.0/8", "0.0.0.0/0")
                .build());
        assertThat(open.vipsRestricted()).isFalse();
    }

    @Test
    void vipsInProxyModeAreNotCaptured() {
        ServicePortImage port = image(service("web", "10.96.0.1")
                .type(ServiceType.LOAD_BALANCER)
                .vip("198.51.100.1", true)
                .build());
        assertThat(port.vips()).isEmpty();
    }

    @Test
    void healthCheckPortNeedsLoadBalancerAndLocalPolicy() {
        Fixtures.Draft draft = service("web", "10.96.0.1").healthPort(31000);
        assertThat(image(draft.type(ServiceType.LOAD_BALANCER)
                                .externalLocal(true)
                                .build())
                        .healthCheckNodePort())
                .isEqualTo(31000);
        assertThat(image(draft.type(ServiceType.LOAD_BALANCER).build()).healthCheckNodePort())
                .isZero();
        assertThat(image(draft.type(ServiceType.NODE_PORT).externalLocal(true).build())
                        .healthCheckNodePort())
                .isZero();
    }
}
