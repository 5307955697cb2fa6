package io.sluice.endpoints;

import static io.sluice.endpoints.AService.web;
import static io.sluice.endpoints.ASlice.named;
import static io.sluice.endpoints.AnEndpoint.at;
import static io.sluice.endpoints.Views.NODE;
import static io.sluice.endpoints.Views.texts;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.ProxyDelta.Change;
import io.sluice.endpoints.ServiceTracker.CheckOut;
import io.sluice.endpoints.ServiceTracker.Counts;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What changes, when Services, slices and the node do. */
class ServiceTrackerTest {
    private static final NamespacedName WEB = new NamespacedName("shop", "web");

    private final ServiceTracker tracker = new ServiceTracker(NODE);

    /** {@code name: before -> after} of each change, by endpoints of the Cluster list; {@code -} where the port is absent. */
    private List<String> changes() {
        return tracker.checkOut().delta().changes().stream()
                .map(change -> change.name() + ": "
                        + change.before().map(ServiceTrackerTest::endpoints).orElse("-") + " -> "
                        + change.after().map(ServiceTrackerTest::endpoints).orElse("-"))
                .toList();
    }

    private static String endpoints(ServicePortImage port) {
        return texts(port.endpoints().cluster()).toString();
    }

    @Test
    void theFirstLoadIsADeltaToo() {
        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());

        assertThat(changes()).containsExactly("shop/web:http: - -> [10.244.1.1:8080]");
        assertThat(tracker.image().ports()).hasSize(1);
    }

    @Test
    void slicesMayComeFirst() {
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        assertThat(changes()).as("nobody's slice changes nothing").isEmpty();

        tracker.onService(web().http().build());
        assertThat(changes()).containsExactly("shop/web:http: - -> [10.244.1.1:8080]");
    }

    @Test
    void slicesOutliveTheirService() {
        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        changes();

        tracker.onServiceDeleted(WEB);
        assertThat(changes()).containsExactly("shop/web:http: [10.244.1.1:8080] -> -");
        tracker.onService(web().http().build());
        assertThat(changes()).containsExactly("shop/web:http: - -> [10.244.1.1:8080]");
    }

    @Test
    void aServiceMadeAnewWithinOneCheckOutShowsOnlyWhatDiffers() {
        tracker.onService(web().http().build());
        changes();

        tracker.onServiceDeleted(WEB);
        tracker.onService(web().uid("uid-2").http().clusterIps("10.96.0.11").build());
        List<Change> changes = tracker.checkOut().delta().changes();

        assertThat(changes).hasSize(1);
        assertThat(changes.getFirst().before().orElseThrow().clusterIp()).hasToString("10.96.0.10");
        assertThat(changes.getFirst().after().orElseThrow().clusterIp()).hasToString("10.96.0.11");
    }

    @Test
    void updatesThatSayNothingNewYieldNothing() {
        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        changes();

        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").triggered(5).build());
        tracker.onServiceDeleted(new NamespacedName("shop", "unknown"));
        tracker.onSliceDeleted(new NamespacedName("shop", "unknown"));
        tracker.onNode(new NodeView("node-1", "z1", List.of()));

        assertThat(tracker.hasPending()).isFalse();
        CheckOut checkOut = tracker.checkOut();
        assertThat(checkOut.delta().isEmpty()).isTrue();
        assertThat(checkOut.delta().triggerTimes()).isEmpty();
    }

    @Test
    void aChangeThatIsTakenBackYieldsNothing() {
        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        ProxyImage before = tracker.checkOut().image();

        tracker.onSlice(named("web-1").http().ready("10.244.1.2").build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());

        assertThat(tracker.hasPending()).isTrue();
        CheckOut checkOut = tracker.checkOut();
        assertThat(checkOut.delta().isEmpty()).isTrue();
        assertThat(checkOut.image()).isSameAs(before);
    }

    @Test
    void deletingOneSliceKeepsEndpointsThatAnotherNames() {
        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1", "10.244.1.2").build());
        tracker.onSlice(named("web-2").http().ready("10.244.1.2").build());
        changes();

        tracker.onSliceDeleted(new NamespacedName("shop", "web-1"));

        assertThat(changes())
                .containsExactly(
                        "shop/web:http: [10.244.1.1:8080, 10.244.1.2:8080] -> [10.244.1.2:8080]");
    }

    @Test
    void aSliceMayMoveFromOneServiceToAnother() {
        tracker.onService(web().http().build());
        tracker.onService(AService.named("api").clusterIps("10.96.0.11").http().build());
        tracker.onSlice(named("s-1").http().ready("10.244.1.1").build());
        changes();

        tracker.onSlice(named("s-1").of("api").http().ready("10.244.1.1").build());
        assertThat(changes())
                .containsExactly(
                        "shop/api:http: [] -> [10.244.1.1:8080]",
                        "shop/web:http: [10.244.1.1:8080] -> []");

        tracker.onSliceDeleted(new NamespacedName("shop", "s-1"));
        assertThat(changes()).containsExactly("shop/api:http: [10.244.1.1:8080] -> []");
    }

    @Test
    void aSliceThatLosesItsServiceNameIsNobodys() {
        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        changes();

        tracker.onSlice(named("web-1").of("").http().ready("10.244.1.1").build());
        assertThat(changes()).containsExactly("shop/web:http: [10.244.1.1:8080] -> []");
        assertThat(tracker.counts().slices()).isZero();

        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        assertThat(changes()).containsExactly("shop/web:http: [] -> [10.244.1.1:8080]");
    }

    @Test
    void theHeadlessLabelHidesASliceAndShowsItAgain() {
        tracker.onService(web().http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        changes();

        tracker.onSlice(named("web-1").http().headless().ready("10.244.1.1").build());
        assertThat(changes()).containsExactly("shop/web:http: [10.244.1.1:8080] -> []");
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        assertThat(changes()).containsExactly("shop/web:http: [] -> [10.244.1.1:8080]");
    }

    @Test
    void theProxyNameLabelIsAsGoodAsADelete() {
        tracker.onService(web().http().build());
        changes();

        tracker.onService(web().http().otherProxy().build());
        assertThat(changes()).containsExactly("shop/web:http: [] -> -");
        tracker.onService(web().http().build());
        assertThat(changes()).containsExactly("shop/web:http: - -> []");
    }

    @Test
    void typesChangeBackAndForth() {
        tracker.onService(web().http().build());
        changes();

        tracker.onService(web().http().type(ServiceType.EXTERNAL_NAME).build());
        assertThat(changes()).containsExactly("shop/web:http: [] -> -");
        tracker.onService(web().nodePort(30080).build());
        assertThat(changes()).containsExactly("shop/web:http: - -> []");
        tracker.onService(web().http().build());
        assertThat(changes()).containsExactly("shop/web:http: [] -> []");
    }

    @Test
    void onlyPortsThatDifferAreInTheDelta() {
        tracker.onService(web().http().port("dns", Protocol.UDP, 53, 0).build());
        changes();

        tracker.onService(web().http().port("dns", Protocol.UDP, 54, 0).build());
        assertThat(changes()).containsExactly("shop/web:dns: [] -> []");
        tracker.onService(web().http().build());
        assertThat(changes()).containsExactly("shop/web:dns: [] -> -");
    }

    @Test
    void changesComeSortedByName() {
        for (String name : List.of("c", "a", "b")) {
            tracker.onService(AService.named(name).http().build());
        }

        assertThat(changes())
                .containsExactly(
                        "shop/a:http: - -> []", "shop/b:http: - -> []", "shop/c:http: - -> []");
    }

    @Test
    void aNewZoneOfTheNodeTouchesWhoeverHasHints() {
        tracker.onService(web().http().build());
        tracker.onService(AService.named("api").http().build());
        tracker.onSlice(named("web-1")
                .http()
                .endpoint(at("10.244.1.1").zones("z1"))
                .endpoint(at("10.244.2.1").zones("z2"))
                .build());
        changes();

        tracker.onNode(new NodeView("node-1", "z2", NODE.addresses()));

        assertThat(changes())
                .containsExactly("shop/web:http: [10.244.1.1:8080] -> [10.244.2.1:8080]");
    }

    @Test
    void aNewAddressOfTheNodeTouchesServicesWhoseRangesAdmitIt() {
        tracker.onService(
                web().http().vips("203.0.113.10").sourceRanges("192.0.2.0/24").build());
        tracker.onService(AService.named("api").http().build());
        changes();

        tracker.onNode(new NodeView("node-1", "z1", AService.addresses("198.51.100.9")));
        List<Change> changes = tracker.checkOut().delta().changes();

        assertThat(changes).hasSize(1);
        assertThat(changes.getFirst().before().orElseThrow().sourceRanges())
                .hasToString("[192.0.2.0/24, 203.0.113.10/32]");
        assertThat(changes.getFirst().after().orElseThrow().sourceRanges())
                .hasToString("[192.0.2.0/24]");
    }

    @Test
    void servicesThatDidNotChangeKeepTheirImages() {
        tracker.onService(web().http().build());
        tracker.onService(AService.named("api").http().build());
        ServicePortImage api = api(tracker.checkOut().image());

        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());

        assertThat(api(tracker.checkOut().image())).isSameAs(api);
    }

    private static ServicePortImage api(ProxyImage image) {
        return image.ports().stream()
                .filter(port -> port.name().service().name().equals("api"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void triggerTimesComeOutOnce() {
        tracker.onService(web().http().build());
        tracker.onSlice(
                named("web-1").http().ready("10.244.1.1").triggered(1_000).build());
        tracker.onSlice(
                named("web-2").http().ready("10.244.1.2").triggered(2_000).build());
        tracker.onSlice(named("web-3").http().ready("10.244.1.3").build());

        assertThat(tracker.checkOut().delta().triggerTimes()).containsExactly(1_000L, 2_000L);
        assertThat(tracker.checkOut().delta().triggerTimes()).isEmpty();

        tracker.onSliceDeleted(new NamespacedName("shop", "web-1"));
        assertThat(tracker.checkOut().delta().triggerTimes())
                .as("none at removal")
                .isEmpty();
    }

    @Test
    void countsForMetrics() {
        tracker.onService(web().http().build());
        tracker.onService(AService.named("api").http().build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.1").build());
        tracker.onSlice(named("web-1").http().ready("10.244.1.2").build());

        assertThat(tracker.counts()).isEqualTo(new Counts(2, 1, 2, 1, 2, 2));
        tracker.checkOut();
        assertThat(tracker.counts()).isEqualTo(new Counts(2, 1, 0, 0, 2, 2));
    }

    @Test
    void issue128928_nothingStaysOfServicesThatAreGone() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 500; i++) {
                tracker.onService(AService.named("s" + i).http().build());
                tracker.onSlice(named("s" + i + "-1")
                        .of("s" + i)
                        .http()
                        .ready("10.244.1.1")
                        .build());
            }
            assertThat(tracker.checkOut().image().ports()).hasSize(500);
            for (int i = 0; i < 500; i++) {
                tracker.onServiceDeleted(new NamespacedName("shop", "s" + i));
                tracker.onSliceDeleted(new NamespacedName("shop", "s" + i + "-1"));
            }
            assertThat(tracker.checkOut().image().ports()).isEmpty();
        }

        assertThat(tracker.counts().services()).isZero();
        assertThat(tracker.counts().slices()).isZero();
        assertThat(tracker.counts().pendingServices()).isZero();
    }
}
