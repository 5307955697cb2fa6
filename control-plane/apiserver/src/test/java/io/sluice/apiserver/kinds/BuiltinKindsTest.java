package io.sluice.apiserver.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.Cidr;
import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.registry.Kind;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The table of kinds is complete and consistent. */
final class BuiltinKindsTest {
    private final List<Kind> kinds = BuiltinKinds.all(
            new ServiceAllocator(List.of(Cidr.of("10.96.0.0/16")), 30000, 32767, new Random(1)));

    @Test
    void servesTheKindsOfTheFirstCluster() {
        assertThat(kinds.stream().map(kind -> kind.resource().toString()))
                .containsExactlyInAnyOrder(
                        "v1/configmaps",
                        "v1/endpoints",
                        "v1/events",
                        "v1/namespaces",
                        "v1/nodes",
                        "v1/pods",
                        "v1/secrets",
                        "v1/serviceaccounts",
                        "v1/services",
                        "coordination.k8s.io/v1/leases",
                        "discovery.k8s.io/v1/endpointslices",
                        "events.k8s.io/v1/events",
                        "networking.k8s.io/v1/servicecidrs");
    }

    @Test
    void onlyEventsShareTheirStorage() {
        Map<String, Integer> users = new HashMap<>();
        kinds.forEach(kind -> users.merge(kind.storage(), 1, Integer::sum));
        users.forEach((storage, count) -> assertThat(count)
                .as(storage)
                .isEqualTo(storage.equals("/registry/events/") ? 2 : 1));
        assertThat(users)
                .containsKeys(
                        "/registry/services/specs/",
                        "/registry/services/endpoints/",
                        "/registry/minions/",
                        "/registry/configmaps/");
    }

    @Test
    void everyTableHasOneNameColumnAmongItsColumns() {
        for (Kind kind : kinds) {
            assertThat(kind.columns()).as(kind.gvk().toString()).isNotEmpty();
            boolean event = kind.gvk().kind().equals("Event");
            assertThat(kind.columns().stream().filter(column -> column.format().equals("name")))
                    .as(kind.gvk().toString())
                    .hasSize(event ? 0 : 1);
        }
    }
}
