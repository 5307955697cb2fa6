package io.sluice.endpoints;

import static io.sluice.endpoints.ASlice.named;
import static io.sluice.endpoints.AnEndpoint.at;
import static io.sluice.endpoints.Views.NODE;
import static io.sluice.endpoints.Views.only;
import static io.sluice.endpoints.Views.reasons;
import static io.sluice.endpoints.Views.texts;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.model.AddressType;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

/** Who may receive, and for each other endpoint why not. */
class EndpointChooserTest {

    private static EndpointChoice choose(EndpointSlice... slices) {
        return only(AService.web().nodePort(30080).build(), slices).endpoints();
    }

    private static EndpointChoice chooseLocal(EndpointSlice... slices) {
        return only(AService.web().nodePort(30080).externalLocal().build(), slices)
                .endpoints();
    }

    private static EndpointSlice slice(AnEndpoint... endpoints) {
        ASlice out = named("web-1").http();
        for (AnEndpoint endpoint : endpoints) {
            out.endpoint(endpoint);
        }
        return out.build();
    }

    // Merging of slices

    @Test
    void portsComeFromTheSliceAndMayDifferBetweenSlices() {
        EndpointChoice choice = choose(
                named("web-1")
                        .port("http", Protocol.TCP, 8080)
                        .ready("10.244.1.1")
                        .build(),
                named("web-2")
                        .port("http", Protocol.TCP, 9090)
                        .ready("10.244.1.2")
                        .build());

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080", "10.244.1.2:9090");
    }

    @Test
    void aPortOfAnotherNameOrProtocolIsNotOurs() {
        EndpointChoice choice = choose(
                named("web-1")
                        .port("https", Protocol.TCP, 8443)
                        .ready("10.244.1.1")
                        .build(),
                named("web-2")
                        .port("http", Protocol.UDP, 8080)
                        .ready("10.244.1.2")
                        .build());

        assertThat(choice.cluster()).isEmpty();
        assertThat(choice.anywhere()).isFalse();
        assertThat(reasons(choice))
                .containsExactly("10.244.1.1 NO_SUCH_PORT", "10.244.1.2 NO_SUCH_PORT");
        assertThat(choice.leftOut().getFirst().detail())
                .isEqualTo("slice shop/web-1 has no TCP port named \"http\"");
    }

    @Test
    void sortedAsText() {
        EndpointChoice choice = choose(named("web-1")
                .http()
                .ready("10.244.1.9", "10.244.1.10", "10.244.1.1")
                .build());

        assertThat(texts(choice.cluster()))
                .containsExactly("10.244.1.10:8080", "10.244.1.1:8080", "10.244.1.9:8080");
    }

    @Test
    void runningBeatsTerminatingWhateverTheOrder() {
        EndpointSlice leaving = named("web-1")
                .http()
                .endpoint(at("10.244.1.1").leaving().pod("old"))
                .build();
        EndpointSlice running =
                named("web-2").http().endpoint(at("10.244.1.1").pod("new")).build();

        EndpointChoice one = choose(leaving, running);
        EndpointChoice other = choose(running, leaving);

        assertThat(texts(one.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(one.leftOut()).isEmpty();
        assertThat(other).isEqualTo(one);
    }

    @Test
    void runningBeatsTerminatingEvenIfNotReady() {
        EndpointChoice choice = choose(slice(
                at("10.244.1.1").leaving().pod("old"),
                at("10.244.1.1").notReady().pod("new")));

        assertThat(choice.cluster()).isEmpty();
        assertThat(choice.leftOut()).extracting(LeftOut::target).containsExactly("new");
    }

    @Test
    void betweenTwoThatRunReadyWinsAndThenTheFirstSliceByName() {
        EndpointSlice notReady =
                named("web-0").http().endpoint(at("10.244.1.1").notReady()).build();
        EndpointSlice here =
                named("web-1").http().endpoint(at("10.244.1.1").on("node-1")).build();
        EndpointSlice there =
                named("web-2").http().endpoint(at("10.244.1.1").on("node-2")).build();

        for (EndpointChoice choice : List.of(
                choose(notReady, here, there),
                choose(there, here, notReady),
                choose(here, notReady, there))) {
            assertThat(choice.cluster())
                    .containsExactly(new Backend(at("10.244.1.1").build().address(), 8080, true));
        }
    }

    @Test
    void withoutNodeNameAnEndpointIsRemote() {
        assertThat(chooseLocal(slice(at("10.244.1.1").on(""))).local()).isEmpty();
    }

    @Test
    void whereOurOwnNameIsUnknownNothingIsLocal() {
        ServicePortImage port =
                ServiceExpander.expand(AService.web().http().build(), NODE).getFirst();
        EndpointChoice choice = new EndpointChooser(new NodeView("", "", List.of()))
                .choose(port, List.of(slice(at("10.244.1.1").on(""))), Set.of(IpFamily.IPV4));

        assertThat(choice.local()).isEmpty();
        assertThat(choice.cluster()).hasSize(1);
    }

    @Test
    void slicesOfOtherFamiliesAreLeftOutWithThatReason() {
        EndpointChoice choice = choose(
                named("web-1").http().ready("10.244.1.1").build(),
                named("web-6").http().ready("2001:db8:2::1").build(),
                named("web-f").http().type(AddressType.FQDN).ready("192.0.2.99").build());

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(reasons(choice))
                .containsExactly("2001:db8:2::1 OTHER_FAMILY", "192.0.2.99 OTHER_FAMILY");
    }

    @Test
    void aHeadlessSliceIsLeftOut() {
        EndpointChoice choice =
                choose(named("web-1").http().headless().ready("10.244.1.1").build());

        assertThat(choice.anywhere()).isFalse();
        assertThat(reasons(choice)).containsExactly("10.244.1.1 HEADLESS");
    }

    // Readiness

    @Test
    void onlyReadyEndpointsWhereThereAreSome() {
        EndpointChoice choice = choose(slice(
                at("10.244.1.1"),
                at("10.244.1.2").notReady(),
                at("10.244.1.3").conditions(false, true, false),
                at("10.244.1.4").leaving(),
                at("10.244.1.5").gone()));

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(reasons(choice))
                .containsExactly(
                        "10.244.1.2:8080 NOT_READY",
                        "10.244.1.3:8080 NOT_READY",
                        "10.244.1.4:8080 TERMINATING",
                        "10.244.1.5:8080 TERMINATING_NOT_SERVING");
        assertThat(texts(choice.serving()))
                .as("flows to whoever serves may stay")
                .containsExactly("10.244.1.1:8080", "10.244.1.3:8080", "10.244.1.4:8080");
    }

    @Test
    void terminatingOnesThatServeStandInForReadyOnes() {
        EndpointChoice choice = choose(slice(
                at("10.244.1.2").notReady(),
                at("10.244.1.4").leaving().zones("z9"),
                at("10.244.1.5").gone()));

        assertThat(texts(choice.cluster()))
                .as("hints are ignored")
                .containsExactly("10.244.1.4:8080");
        assertThat(choice.anywhere()).isTrue();
        assertThat(reasons(choice))
                .containsExactly(
                        "10.244.1.2:8080 NOT_READY", "10.244.1.5:8080 TERMINATING_NOT_SERVING");
    }

    @Test
    void readyThoughTerminatingIsReady() {
        EndpointChoice choice = choose(slice(
                at("10.244.1.1").conditions(true, true, true), at("10.244.1.2").leaving()));

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(reasons(choice)).containsExactly("10.244.1.2:8080 TERMINATING");
    }

    @Test
    void readyThoughNotServingIsReady() {
        EndpointChoice choice = choose(slice(at("10.244.1.1").conditions(true, false, false)));

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(choice.serving()).isSameAs(choice.cluster());
    }

    @Test
    void withoutAnyUsableEndpointNothingIsAnywhere() {
        EndpointChoice choice =
                choose(slice(at("10.244.1.2").notReady(), at("10.244.1.5").gone()));

        assertThat(choice.anywhere()).isFalse();
        assertThat(choice.cluster()).isEmpty();
        assertThat(choice.local()).isEmpty();
    }

    // Local lists

    @Test
    void theLocalListHasThisNodesReadyEndpoints() {
        EndpointChoice choice = chooseLocal(slice(at("10.244.1.1").on("node-1"), at("10.244.2.1")));

        assertThat(texts(choice.local())).containsExactly("10.244.1.1:8080");
        assertThat(texts(choice.cluster())).hasSize(2);
        assertThat(reasons(choice)).containsExactly("10.244.2.1:8080 OTHER_NODE");
        assertThat(choice.leftOut().getFirst().detail())
                .isEqualTo("on node node-2; a Local traffic policy wants node node-1");
        assertThat(choice.localReady()).isEqualTo(AService.addresses("10.244.1.1"));
    }

    @Test
    void aTerminatingLocalEndpointStandsInEvenIfOthersAreReadyElsewhere() {
        EndpointChoice choice =
                chooseLocal(slice(at("10.244.1.1").on("node-1").leaving(), at("10.244.2.1")));

        assertThat(texts(choice.local())).containsExactly("10.244.1.1:8080");
        assertThat(texts(choice.cluster())).containsExactly("10.244.2.1:8080");
        assertThat(choice.localReady()).as("load balancers turn away").isEmpty();
        assertThat(reasons(choice))
                .containsExactly("10.244.1.1:8080 TERMINATING", "10.244.2.1:8080 OTHER_NODE");
    }

    @Test
    void aTerminatingRemoteStandInMissesOnlyTheLocalList() {
        EndpointChoice choice = chooseLocal(slice(at("10.244.2.1").leaving()));

        assertThat(texts(choice.cluster())).containsExactly("10.244.2.1:8080");
        assertThat(choice.local()).isEmpty();
        assertThat(reasons(choice)).containsExactly("10.244.2.1:8080 OTHER_NODE");
    }

    @Test
    void aTerminatingLocalEndpointIsSparedWhereALocalOneIsReady() {
        EndpointChoice choice = chooseLocal(
                slice(at("10.244.1.1").on("node-1").leaving(), at("10.244.1.2").on("node-1")));

        assertThat(texts(choice.local())).containsExactly("10.244.1.2:8080");
        assertThat(reasons(choice)).containsExactly("10.244.1.1:8080 TERMINATING");
    }

    @Test
    void topologyNeverAppliesToTheLocalList() {
        EndpointChoice choice = chooseLocal(slice(
                at("10.244.1.1").on("node-1").zones("z2"), at("10.244.2.1").zones("z1")));

        assertThat(texts(choice.local())).containsExactly("10.244.1.1:8080");
        assertThat(texts(choice.cluster())).containsExactly("10.244.2.1:8080");
    }

    @Test
    void anEndpointIsLeftOutOnlyOfListsThatAreRead() {
        EndpointSlice remote = slice(at("10.244.2.1"));
        // The policy is Local, and there is no external address yet that it could apply to.
        ServicePortImage pending =
                only(AService.web().vips().http().externalLocal().build(), remote);
        ServicePortImage internal = only(AService.web().http().internalLocal().build(), remote);

        assertThat(pending.endpoints().leftOut()).isEmpty();
        assertThat(reasons(internal.endpoints())).containsExactly("10.244.2.1:8080 OTHER_NODE");
    }

    @Test
    void anInternalLocalPortDoesNotMissTheClusterList() {
        // Left out of the Cluster list by zone, but nobody reads that list.
        EndpointChoice choice = only(
                        AService.web().http().internalLocal().build(),
                        slice(
                                at("10.244.1.1").on("node-1").zones("z2"),
                                at("10.244.2.1").zones("z1")))
                .endpoints();

        assertThat(texts(choice.local())).containsExactly("10.244.1.1:8080");
        assertThat(reasons(choice)).containsExactly("10.244.2.1:8080 OTHER_NODE");
    }

    // Topology

    @Test
    void hintsForOurZoneNarrowTheClusterList() {
        EndpointChoice choice = choose(
                slice(at("10.244.1.1").zones("z1", "z3"), at("10.244.2.1").zones("z2")));

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(reasons(choice)).containsExactly("10.244.2.1:8080 OTHER_ZONE");
        assertThat(choice.leftOut().getFirst().detail())
                .isEqualTo("hints name zone z2, this is zone z1");
    }

    @Test
    void oneReadyEndpointWithoutHintsSwitchesThemOff() {
        assertThat(choose(slice(at("10.244.1.1").zones("z1"), at("10.244.2.1"))).cluster())
                .hasSize(2);
    }

    @Test
    void anEndpointThatIsNotReadyDoesNotSwitchHintsOff() {
        assertThat(choose(slice(
                                at("10.244.1.1").zones("z1"),
                                at("10.244.2.1").zones("z2"),
                                at("10.244.3.1").notReady(),
                                at("10.244.4.1").leaving()))
                        .cluster())
                .hasSize(1);
    }

    @Test
    void hintsThatNeverNameOurZoneAreIgnored() {
        assertThat(choose(slice(at("10.244.1.1").zones("z2"), at("10.244.2.1").zones("z3")))
                        .cluster())
                .hasSize(2);
    }

    @Test
    void aNodeWithoutZoneIgnoresZoneHints() {
        NodeView nowhere = new NodeView("node-1", "", List.of());
        ServicePortImage port =
                ServiceExpander.expand(AService.web().http().build(), nowhere).getFirst();
        EndpointChoice choice = new EndpointChooser(nowhere)
                .choose(
                        port,
                        List.of(slice(
                                at("10.244.1.1").zones(""), at("10.244.2.1").zones("z2"))),
                        Set.of(IpFamily.IPV4));

        assertThat(choice.cluster()).hasSize(2);
    }

    @Test
    void hintsForOurNodeComeBeforeThoseForOurZone() {
        EndpointChoice choice = choose(slice(
                at("10.244.1.1").nodes("node-1").zones("z1"),
                at("10.244.2.1").nodes("node-2").zones("z1")));

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(reasons(choice)).containsExactly("10.244.2.1:8080 NOT_HINTED_NODE");
        assertThat(choice.leftOut().getFirst().detail())
                .isEqualTo("hints name node node-2, this is node node-1");
    }

    @Test
    void whereNoHintNamesOurNodeTheZoneDecides() {
        EndpointChoice choice = choose(slice(
                at("10.244.1.1").nodes("node-3").zones("z1"),
                at("10.244.2.1").nodes("node-2").zones("z2")));

        assertThat(texts(choice.cluster())).containsExactly("10.244.1.1:8080");
        assertThat(reasons(choice)).containsExactly("10.244.2.1:8080 OTHER_ZONE");
    }

    @Test
    void equalListsAreOneInMemory() {
        EndpointChoice choice = choose(slice(at("10.244.1.1"), at("10.244.2.1")));

        assertThat(choice.serving()).isSameAs(choice.cluster());
    }
}
