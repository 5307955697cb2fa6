package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.FrontendIndex.OwnerChange;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Who owns an address and port. */
class FrontendIndexTest {
    private final ServiceTracker tracker = new ServiceTracker(Views.NODE);
    private final FrontendIndex index = new FrontendIndex();
    private final List<String> conflicts = new ArrayList<>();

    private static Frontend.Key key(String address, int port) {
        return new Frontend.Key(IpAddress.of(address), port, Protocol.TCP);
    }

    /** {@code key -> owner} of each change. */
    private List<String> apply() {
        return index.apply(tracker.checkOut().delta(), conflicts::add).stream()
                .map(change -> change.key() + " -> "
                        + change.after()
                                .map(claim -> claim.port().name() + " by "
                                        + claim.frontend().kind().text())
                                .orElse("-"))
                .toList();
    }

    @Test
    void everyKindOfFrontendHasItsOwner() {
        tracker.onService(AService.web()
                .vips("203.0.113.10")
                .externalIps("198.51.100.1")
                .nodePort(30080)
                .build());

        assertThat(apply())
                .containsExactlyInAnyOrder(
                        "10.96.0.10:80/tcp -> shop/web:http by cluster IP",
                        "198.51.100.1:80/tcp -> shop/web:http by external IP",
                        "203.0.113.10:80/tcp -> shop/web:http by load-balancer IP",
                        "0.0.0.0:30080/tcp -> shop/web:http by node port");
        assertThat(index.owner(key("10.96.0.10", 81))).isEmpty();
    }

    @Test
    void protocolsAreIndependent() {
        tracker.onService(AService.web()
                .port("tcp", Protocol.TCP, 53, 30053)
                .port("udp", Protocol.UDP, 53, 30053)
                .build());

        assertThat(apply()).hasSize(4);
        assertThat(conflicts).isEmpty();
    }

    @Test
    void aClusterIpIsNeverTakenOverByAnExternalIp() {
        tracker.onService(AService.named("victim").http().build());
        apply();

        tracker.onService(AService.named("attacker")
                .clusterIps("10.96.0.66")
                .externalIps("10.96.0.10")
                .http()
                .build());

        assertThat(apply())
                .containsExactly("10.96.0.66:80/tcp -> shop/attacker:http by cluster IP");
        assertThat(conflicts)
                .containsExactly(
                        "10.96.0.10:80/tcp is claimed by several Services: shop/victim:http (cluster IP) has it;"
                                + " shop/attacker:http (external IP) get no traffic there until it gives it up");
    }

    @Test
    void betweenEqualKindsTheFirstNameWinsAndTheOtherInherits() {
        for (String name : List.of("b", "a")) {
            tracker.onService(AService.named(name)
                    .clusterIps(name.equals("a") ? "10.96.0.1" : "10.96.0.2")
                    .externalIps("198.51.100.1")
                    .http()
                    .build());
        }
        apply();
        assertThat(index.owner(key("198.51.100.1", 80)).orElseThrow().port().name())
                .hasToString("shop/a:http");
        assertThat(conflicts).hasSize(1);

        tracker.onServiceDeleted(new io.sluice.api.meta.NamespacedName("shop", "a"));
        assertThat(apply())
                .containsExactlyInAnyOrder(
                        "10.96.0.1:80/tcp -> -",
                        "198.51.100.1:80/tcp -> shop/b:http by external IP");
        assertThat(conflicts).as("no conflict is left").hasSize(1);
    }

    @Test
    void aConflictIsToldOnceNotAtEachChangeOfEndpoints() {
        tracker.onService(AService.named("a").externalIps("198.51.100.1").http().build());
        tracker.onService(AService.named("b")
                .clusterIps("10.96.0.11")
                .externalIps("198.51.100.1")
                .http()
                .build());
        apply();
        assertThat(conflicts).hasSize(1);

        tracker.onSlice(ASlice.named("b-1").of("b").http().ready("10.244.1.1").build());
        assertThat(apply())
                .as("the loser's endpoints concern only what it owns")
                .containsExactly("10.96.0.11:80/tcp -> shop/b:http by cluster IP");
        tracker.onSlice(ASlice.named("a-1").of("a").http().ready("10.244.1.2").build());
        assertThat(apply()).hasSize(2);
        assertThat(conflicts).hasSize(1);
    }

    @Test
    void aCrowdIsNamedInOneLine() {
        for (int i = 10; i < 30; i++) {
            tracker.onService(AService.named("s" + i)
                    .clusterIps("10.96.0." + i)
                    .externalIps("198.51.100.1")
                    .http()
                    .build());
        }
        apply();

        assertThat(conflicts).hasSize(1);
        assertThat(conflicts.getFirst())
                .contains("shop/s10:http (external IP) has it")
                .contains("shop/s15:http (external IP) and 14 more get no traffic");
    }

    @Test
    void equalsAnIndexBuiltFromScratch() {
        Seeds.run(150, random -> {
            RandomObjects objects = new RandomObjects(random);
            ServiceTracker events = new ServiceTracker(Views.NODE);
            FrontendIndex incremental = new FrontendIndex();
            Map<Frontend.Key, Claim> followed = new HashMap<>();
            for (int step = 0; step < 30; step++) {
                for (int i = random.nextInt(3); i >= 0; i--) {
                    events.onService(objects.service());
                    events.onSlice(objects.slice());
                    if (random.nextInt(3) == 0) {
                        events.onServiceDeleted(new io.sluice.api.meta.NamespacedName(
                                "shop", objects.serviceName()));
                    }
                }
                var checkOut = events.checkOut();
                for (OwnerChange change : incremental.apply(checkOut.delta(), text -> {})) {
                    assertThat(Optional.ofNullable(followed.get(change.key())))
                            .as("an owner change is one")
                            .isNotEqualTo(change.after());
                    change.after()
                            .ifPresentOrElse(
                                    claim -> followed.put(change.key(), claim),
                                    () -> followed.remove(change.key()));
                }
                assertThat(followed).isEqualTo(scratch(checkOut.image()));
            }
        });
    }

    private static Map<Frontend.Key, Claim> scratch(ProxyImage image) {
        Map<Frontend.Key, Claim> out = new HashMap<>();
        List<Claim> claims = image.ports().stream()
                .flatMap(port -> Frontends.of(port).stream().map(found -> new Claim(found, port)))
                .sorted(Comparator.comparing((Claim claim) -> claim.frontend().kind())
                        .thenComparing(claim -> claim.port().name()))
                .toList();
        claims.forEach(claim -> out.putIfAbsent(claim.frontend().key(), claim));
        return out;
    }

    @Test
    void nodePortsOfBothFamiliesHaveTheirOwnKeys() {
        tracker.onService(AService.web()
                .families(IpFamily.IPV4, IpFamily.IPV6)
                .clusterIps("10.96.0.10", "2001:db8::a")
                .nodePort(30080)
                .build());

        assertThat(apply())
                .contains(
                        "0.0.0.0:30080/tcp -> shop/web:http by node port",
                        "[::]:30080/tcp -> shop/web:http by node port");
        assertThat(Stream.of("0.0.0.0", "::")
                        .map(any -> index.owner(key(any, 30080)).isPresent()))
                .containsOnly(true);
    }
}
