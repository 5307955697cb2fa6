package io.sluice.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.AddressType;
import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointPort;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.LoadBalancerIngress;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServiceTracker;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;

class IptablesPlannerTest {
    private static final IpAddress NODE_IP = IpAddress.of("192.0.2.1");
    private static final NodeView NODE = new NodeView("node-1", "", List.of(NODE_IP));
    private static final NodeFacts FACTS = new NodeFacts(NODE, List.of(NODE_IP), List.of());
    private static final RuleSettings SETTINGS = new RuleSettings(
            1 << RuleSettings.DEFAULT_MASQUERADE_BIT,
            false,
            new LocalDetector.Source(List.of(Cidr.of("10.244.0.0/16"))),
            NodePortAddresses.ALL,
            true,
            true);
    private static final int SERVICES = 12;

    private static IptablesPlanner planner(int atOnce) {
        return new IptablesPlanner(IpFamily.IPV4, SETTINGS, FACTS, atOnce);
    }

    private static Service service(Random random, int number) {
        boolean external = random.nextBoolean();
        return new Service(
                new NamespacedName("shop", "s" + number),
                "uid",
                external ? ServiceType.LOAD_BALANCER : ServiceType.CLUSTER_IP,
                false,
                List.of(IpFamily.IPV4),
                List.of(IpAddress.of("10.96.0." + (number + 1))),
                List.of(
                        new ServicePort("web", Protocol.TCP, 80, external ? 30_000 + number : 0),
                        new ServicePort("dns", Protocol.UDP, 53, 0)),
                random.nextBoolean()
                        ? List.of(IpAddress.of("198.18.0." + (number + 1)))
                        : List.of(),
                external
                        ? List.of(new LoadBalancerIngress(
                                IpAddress.of("198.18.1." + (number + 1)), false))
                        : List.of(),
                random.nextBoolean() ? List.of(Cidr.of("198.51.100.0/24")) : List.of(),
                random.nextBoolean(),
                random.nextBoolean(),
                external ? 31_000 + number : 0,
                random.nextBoolean() ? 60 : 0,
                "",
                false);
    }

    private static EndpointSlice slice(Random random, int number) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            boolean ready = random.nextInt(4) > 0;
            endpoints.add(new Endpoint(
                    IpAddress.of("10.244." + number + '.' + (1 + random.nextInt(8))),
                    ready,
                    ready || random.nextBoolean(),
                    !ready,
                    random.nextBoolean() ? "node-1" : "node-2",
                    "",
                    List.of(),
                    List.of(),
                    ""));
        }
        return new EndpointSlice(
                new NamespacedName("shop", "s" + number + "-1"),
                "s" + number,
                false,
                AddressType.IPV4,
                List.copyOf(endpoints),
                List.of(
                        new EndpointPort("web", Protocol.TCP, 8080),
                        new EndpointPort("dns", Protocol.UDP, 5353)),
                0);
    }

    private static void change(Random random, ServiceTracker tracker) {
        int number = random.nextInt(SERVICES);
        switch (random.nextInt(4)) {
            case 0 -> tracker.onServiceDeleted(new NamespacedName("shop", "s" + number));
            case 1 -> tracker.onService(service(random, number));
            default -> tracker.onSlice(slice(random, number));
        }
    }

    private static String fresh(ProxyImage image) {
        TwinTables tables = new TwinTables();
        planner(IptablesPlanner.ALL_AT_ONCE)
                .full(image.ports(), SavedRules.parse(tables.save()))
                .forEach(tables::restore);
        return tables.save();
    }

    /** Whatever changed in whichever order, the tables hold what a first sync would have written. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void changesLeadWhereAFirstSyncLeads(long seed) {
        Random random = new Random(seed);
        ServiceTracker tracker = new ServiceTracker(NODE);
        TwinTables tables = new TwinTables();
        IptablesPlanner planner = planner(3);
        ServiceTracker.CheckOut first = tracker.checkOut();
        planner.full(first.image().ports(), SavedRules.parse(tables.save()))
                .forEach(tables::restore);
        for (int round = 0; round < 150; round++) {
            for (int i = random.nextInt(6); i >= 0; i--) {
                change(random, tracker);
            }
            ServiceTracker.CheckOut next = tracker.checkOut();
            Collection<ServicePortImage> ports = next.image().ports();
            planner.partial(next.delta().changes(), () -> ports).forEach(tables::restore);
            assertThat(tables.save())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(fresh(next.image()));
        }
        // A restart finds what is there, and needs no more.
        planner.full(tracker.image().ports(), SavedRules.parse(tables.save()))
                .forEach(tables::restore);
        assertThat(tables.save()).isEqualTo(fresh(tracker.image()));
    }

    @Test
    void aRestartTakesAwayWhatIsGoneAndCleanUpTheRest() {
        Random random = new Random(9);
        ServiceTracker tracker = new ServiceTracker(NODE);
        for (int i = 0; i < SERVICES; i++) {
            tracker.onService(service(random, i));
            tracker.onSlice(slice(random, i));
        }
        TwinTables tables = new TwinTables();
        String before = tables.save();
        IptablesPlanner planner = planner(5);
        planner.full(tracker.checkOut().image().ports(), SavedRules.parse(before))
                .forEach(tables::restore);
        tracker.onServiceDeleted(new NamespacedName("shop", "s3"));
        ProxyImage later = tracker.checkOut().image();
        planner.full(later.ports(), SavedRules.parse(tables.save())).forEach(tables::restore);
        assertThat(tables.save()).isEqualTo(fresh(later));

        SavedRules saved = SavedRules.parse(tables.save());
        assertThat(saved.isSluices()).isTrue();
        tables.restore(IptablesPlanner.cleanUp(saved));
        assertThat(tables.save()).isEqualTo(before);
        assertThat(IptablesPlanner.cleanUp(SavedRules.parse(before))).isEmpty();
    }

    /** A CNI plugin marks its host ports' packets for masquerade by our chain. */
    @Test
    void cleanUpLeavesRulesOfOthersAndWhatTheyUse() {
        TwinTables tables = new TwinTables();
        planner(5).full(List.of(), SavedRules.parse(tables.save())).forEach(tables::restore);
        tables.restore("""
                *nat
                :CNI-HOSTPORT-SETMARK - [0:0]
                -A CNI-HOSTPORT-SETMARK -m comment --comment "CNI portfwd" -j KUBE-MARK-MASQ
                -A OUTPUT -m comment --comment "mine" -j CNI-HOSTPORT-SETMARK
                COMMIT
                """);
        SavedRules saved = SavedRules.parse(tables.save());
        tables.restore(IptablesPlanner.cleanUp(saved));

        assertThat(tables.save())
                .contains(
                        "-A CNI-HOSTPORT-SETMARK -m comment --comment \"CNI portfwd\" -j KUBE-MARK-MASQ\n",
                        "-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000\n",
                        "-A OUTPUT -m comment --comment \"mine\" -j CNI-HOSTPORT-SETMARK\n")
                .doesNotContain("KUBE-SERVICES", "KUBE-POSTROUTING");
        assertThat(IptablesPlanner.leftToOthers(saved))
                .containsExactly("KUBE-MARK-MASQ (used by CNI-HOSTPORT-SETMARK)");
    }

    @Test
    void anEndpointsChangeTouchesItsServiceAlone() {
        Random random = new Random(10);
        ServiceTracker tracker = new ServiceTracker(NODE);
        tracker.onService(service(new Random(1), 1));
        tracker.onService(service(new Random(1), 2));
        tracker.onSlice(slice(random, 2));
        tracker.onSlice(ready("10.244.1.1"));
        tracker.checkOut();
        tracker.onSlice(ready("10.244.1.2"));
        ServiceTracker.CheckOut next = tracker.checkOut();
        List<String> inputs = planner(IptablesPlanner.FEW_AT_ONCE)
                .partial(next.delta().changes(), () -> next.image().ports());

        assertThat(inputs).hasSize(1);
        assertThat(inputs.getFirst())
                .startsWith("*nat\n")
                .contains("--to-destination 10.244.1.2:8080")
                .doesNotContain("KUBE-SERVICES", "KUBE-NODEPORTS", "*filter", "10.244.2.");
    }

    private static EndpointSlice ready(String address) {
        return new EndpointSlice(
                new NamespacedName("shop", "s1-1"),
                "s1",
                false,
                AddressType.IPV4,
                List.of(new Endpoint(
                        IpAddress.of(address),
                        true,
                        true,
                        false,
                        "node-1",
                        "",
                        List.of(),
                        List.of(),
                        "")),
                List.of(
                        new EndpointPort("web", Protocol.TCP, 8080),
                        new EndpointPort("dns", Protocol.UDP, 5353)),
                0);
    }

    @Test
    void numbersAreWrittenAsKubeProxyWritesThem() {
        ServiceTracker tracker = new ServiceTracker(NODE);
        tracker.onService(new Service(
                new NamespacedName("ns1", "svc1"),
                "uid",
                ServiceType.CLUSTER_IP,
                false,
                List.of(IpFamily.IPV4),
                List.of(IpAddress.of("10.96.0.41")),
                List.of(new ServicePort("p80", Protocol.TCP, 80, 0)),
                List.of(),
                List.of(),
                List.of(),
                false,
                false,
                0,
                0,
                "",
                false));
        tracker.onSlice(new EndpointSlice(
                new NamespacedName("ns1", "svc1-1"),
                "svc1",
                false,
                AddressType.IPV4,
                List.of("10.180.0.1", "10.180.0.2", "10.180.0.3").stream()
                        .map(address -> new Endpoint(
                                IpAddress.of(address),
                                true,
                                true,
                                false,
                                "",
                                "",
                                List.of(),
                                List.of(),
                                ""))
                        .toList(),
                List.of(new EndpointPort("p80", Protocol.TCP, 80)),
                0));
        String text = planner(IptablesPlanner.FEW_AT_ONCE)
                .program(tracker.checkOut().image().ports())
                .text();

        assertThat(text)
                .contains(
                        """
                        -A KUBE-SERVICES -m comment --comment "ns1/svc1:p80 cluster IP" -p tcp -m tcp -d 10.96.0.41/32 --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O
                        """,
                        """
                        -A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 cluster IP" ! -s 10.244.0.0/16 -p tcp -m tcp -d 10.96.0.41/32 --dport 80 -j KUBE-MARK-MASQ
                        """,
                        "-m statistic --mode random --probability 0.3333333333 -j KUBE-SEP-SXIVWICOYRO3J4NJ\n",
                        "-m statistic --mode random --probability 0.5000000000 -j KUBE-SEP-",
                        """
                        -A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment "ns1/svc1:p80" -s 10.180.0.1/32 -j KUBE-MARK-MASQ
                        -A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment "ns1/svc1:p80" -p tcp -m tcp -j DNAT --to-destination 10.180.0.1:80
                        """,
                        "-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000\n",
                        "-A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN\n");
    }
}
