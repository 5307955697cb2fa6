package io.sluice.endpoints;

import static io.sluice.api.net.IpFamily.IPV4;
import static io.sluice.api.net.IpFamily.IPV6;
import static io.sluice.endpoints.ASlice.named;
import static io.sluice.endpoints.AnEndpoint.at;
import static io.sluice.endpoints.Views.expand;
import static io.sluice.endpoints.Views.only;
import static io.sluice.endpoints.Views.texts;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Frontend.Kind;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What users reported of kube-proxy, as far as pure decisions go; numbers are issues and pull requests of kubernetes/kubernetes. */
class BugReportsTest {
    private static final IpAddress CLIENT = IpAddress.of("198.51.100.77");
    private static final EndpointSlice ELSEWHERE =
            named("web-1").http().ready("10.244.2.1").build();

    private static Decision decide(ServicePortImage port, Kind kind, SourceClass from) {
        return Decision.of(port, kind, from, CLIENT);
    }

    @Test
    void pr101935_oneAddressWithTwoPortsIsTwoEndpoints() {
        ServicePortImage port = only(
                AService.web().http().build(),
                named("web-a")
                        .port("http", Protocol.TCP, 8080)
                        .ready("10.244.1.1")
                        .build(),
                named("web-b")
                        .port("http", Protocol.TCP, 9090)
                        .ready("10.244.1.1")
                        .build());

        assertThat(texts(port.endpoints().cluster()))
                .containsExactly("10.244.1.1:8080", "10.244.1.1:9090");
    }

    @Test
    void issue73157_anAddressOfAnotherFamilySpoilsNothing() {
        ServiceTracker tracker = new ServiceTracker(Views.NODE);
        tracker.onService(
                AService.named("bad").http().externalIps("2001:db8::1").build());
        tracker.onService(AService.named("good").http().build());

        assertThat(tracker.checkOut().image().ports())
                .hasSize(2)
                .allSatisfy(port -> assertThat(port.externalIps()).isEmpty());
    }

    @Test
    void issue106182_endpointsThatAreAllNotReadyRefuse() {
        ServicePortImage port = only(
                AService.web()
                        .vips("203.0.113.10")
                        .externalLocal()
                        .nodePort(30080)
                        .build(),
                named("web-1").http().endpoint(at("10.244.1.1").notReady()).build());

        for (Kind kind : Kind.values()) {
            assertThat(decide(port, kind, SourceClass.OUTSIDE))
                    .as(kind.text())
                    .isInstanceOf(Decision.Reject.class);
        }
    }

    @Test
    void issues131765and65387_podsAndTheNodeReachALocalVipThroughAnotherNode() {
        ServicePortImage port =
                only(AService.web().http().vips("203.0.113.10").externalLocal().build(), ELSEWHERE);

        assertThat(decide(port, Kind.LOAD_BALANCER, SourceClass.POD))
                .isEqualTo(new Decision.Forward(port.endpoints().cluster(), true));
        assertThat(decide(port, Kind.LOAD_BALANCER, SourceClass.NODE))
                .isEqualTo(new Decision.Forward(port.endpoints().cluster(), false));
        assertThat(decide(port, Kind.LOAD_BALANCER, SourceClass.OUTSIDE))
                .isInstanceOf(Decision.Drop.class);
    }

    @Test
    void issues66062and121371_aLocalNodePortWithoutLocalEndpointStaysSilent() {
        ServicePortImage port =
                only(AService.web().nodePort(30080).externalLocal().build(), ELSEWHERE);

        assertThat(decide(port, Kind.NODE_PORT, SourceClass.OUTSIDE))
                .isInstanceOf(Decision.Drop.class);
    }

    @Test
    void issue112820_withoutALocalDetectorPodsAreServedAtTheClusterIp() {
        ServicePortImage port =
                only(AService.web().nodePort(30080).externalLocal().build(), ELSEWHERE);

        assertThat(decide(port, Kind.CLUSTER_IP, SourceClass.OUTSIDE))
                .isEqualTo(new Decision.Forward(port.endpoints().cluster(), false));
    }

    @Test
    void issue110302_anEndpointThatIsNotReadyIsNoCandidateForItsStickyClients() {
        ServicePortImage port = only(
                AService.web().http().affinity(10_800).build(),
                named("web-1")
                        .http()
                        .endpoint(at("10.244.1.1").notReady())
                        .endpoint(at("10.244.1.2"))
                        .build());

        assertThat(port.affinitySeconds()).isEqualTo(10_800);
        assertThat(texts(port.internalBackends())).containsExactly("10.244.1.2:8080");
    }

    @Test
    void issue103000_eachPortHasItsOwnAffinity() {
        assertThat(expand(AService.web()
                        .http()
                        .port("https", Protocol.TCP, 443, 0)
                        .affinity(60)
                        .build()))
                .extracting(ServicePortImage::affinitySeconds)
                .containsExactly(60, 60);
    }

    @Test
    void issues119656and88698_rangesDoNotLeakToPortsOfOtherServices() {
        ServicePortImage guarded = only(
                AService.web()
                        .http()
                        .vips("203.0.113.10")
                        .sourceRanges("10.0.0.0/8")
                        .build(),
                ELSEWHERE);
        ServicePortImage open = only(
                AService.web()
                        .port("http", Protocol.TCP, 81, 0)
                        .vips("203.0.113.10")
                        .build(),
                ELSEWHERE);

        assertThat(decide(guarded, Kind.LOAD_BALANCER, SourceClass.OUTSIDE))
                .isInstanceOf(Decision.Drop.class);
        assertThat(decide(open, Kind.LOAD_BALANCER, SourceClass.OUTSIDE))
                .isInstanceOf(Decision.Forward.class);
    }

    @Test
    void issue33586_rangesDoNotProtectNodePorts() {
        ServicePortImage port = only(
                AService.web()
                        .nodePort(30080)
                        .vips("203.0.113.10")
                        .sourceRanges("10.0.0.0/8")
                        .build(),
                ELSEWHERE);

        assertThat(decide(port, Kind.NODE_PORT, SourceClass.OUTSIDE))
                .isInstanceOf(Decision.Forward.class);
    }

    @Test
    void issues90101and89923_familiesNeverMix() {
        ServiceTracker tracker = new ServiceTracker(Views.NODE);
        tracker.onService(AService.web()
                .families(IPV6, IPV4)
                .clusterIps("2001:db8::a", "10.96.0.10")
                .nodePort(30080)
                .build());
        tracker.onSlice(named("web-4").http().ready("10.244.2.1").build());
        tracker.onSlice(named("web-6").http().ready("2001:db8:2::1").build());

        assertThat(tracker.checkOut().image().ports())
                .extracting(port ->
                        port.name().family() + " " + texts(port.endpoints().cluster()))
                .containsExactlyInAnyOrder("IPV4 [10.244.2.1:8080]", "IPV6 [[2001:db8:2::1]:8080]");

        tracker.onSliceDeleted(new NamespacedName("shop", "web-6"));
        List<ProxyDelta.Change> changes = tracker.checkOut().delta().changes();
        assertThat(changes).hasSize(1);
        ServicePortImage v6 = changes.getFirst().after().orElseThrow();
        assertThat(v6.name().family()).isEqualTo(IPV6);
        assertThat(decide(v6, Kind.NODE_PORT, SourceClass.OUTSIDE))
                .isInstanceOf(Decision.Reject.class);
    }

    @Test
    void issue132068_aPortThatEqualsAnothersNodePortIsAnotherFrontend() {
        FrontendIndex index = new FrontendIndex();
        ServiceTracker tracker = new ServiceTracker(Views.NODE);
        tracker.onService(
                AService.named("a").port("http", Protocol.TCP, 30080, 0).build());
        tracker.onService(
                AService.named("b").clusterIps("10.96.0.11").nodePort(30080).build());
        List<String> conflicts = new ArrayList<>();

        assertThat(index.apply(tracker.checkOut().delta(), conflicts::add)).hasSize(3);
        assertThat(conflicts).isEmpty();
    }

    @Test
    void issue69599_whoHasAnExternalAddressDoesNotDependOnWhoCameFirst() {
        AService[] services = {
            AService.named("a").externalIps("198.51.100.1").http(),
            AService.named("b")
                    .clusterIps("10.96.0.11")
                    .externalIps("198.51.100.1")
                    .http()
        };
        for (int first = 0; first < 2; first++) {
            FrontendIndex index = new FrontendIndex();
            ServiceTracker tracker = new ServiceTracker(Views.NODE);
            for (AService service : List.of(services[first], services[1 - first])) {
                tracker.onService(service.build());
                index.apply(tracker.checkOut().delta(), text -> {});
            }

            assertThat(index.owner(new Frontend.Key(IpAddress.of("198.51.100.1"), 80, Protocol.TCP))
                            .orElseThrow()
                            .port()
                            .name())
                    .hasToString("shop/a:http");
        }
    }

    @Test
    void issues53and128928_manyServicesAtOnceAllArrive() {
        ServiceTracker tracker = new ServiceTracker(Views.NODE);
        for (int i = 0; i < 2_000; i++) {
            tracker.onSlice(
                    named("s" + i + "-1").of("s" + i).http().ready("10.244.2.1").build());
            tracker.onService(AService.named("s" + i).http().build());
        }

        assertThat(tracker.checkOut().image().ports())
                .hasSize(2_000)
                .allSatisfy(port -> assertThat(port.endpoints().cluster()).hasSize(1));
    }

    @Test
    void kubeRouter818_anExternalLocalPolicyDoesNotConcernTheClusterIp() {
        ServicePortImage port =
                only(AService.web().nodePort(30080).externalLocal().build(), ELSEWHERE);

        assertThat(decide(port, Kind.CLUSTER_IP, SourceClass.OUTSIDE))
                .isInstanceOf(Decision.Forward.class);
    }
}
