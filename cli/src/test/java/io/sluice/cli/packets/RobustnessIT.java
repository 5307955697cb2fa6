package io.sluice.cli.packets;

import static io.sluice.api.net.IpFamily.IPV4;
import static io.sluice.api.net.IpFamily.IPV6;
import static io.sluice.api.net.Protocol.TCP;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.IpAddress;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What must not disturb traffic, under a load of new connections; and that nothing of the host's own is touched, or left behind. */
class RobustnessIT {
    /** A foreign table that parsers of rules stumble over. */
    private static final String FOREIGN = """
            table inet stranger {
              map verdicts {
                type ipv4_addr . inet_service : verdict
                flags interval
                elements = { 192.0.2.128/25 . 1-1023 : drop }
              }
              set seen {
                type ipv4_addr
                size 1024
                flags dynamic,timeout
                timeout 1m
              }
              chain incoming {
                type filter hook input priority 10; policy accept;
                ip saddr . tcp dport vmap @verdicts comment "odd } \\\\ comment"
                meta mark & 0x4000 == 0x4000 counter
              }
            }
            """;

    @TempDir
    static Path temp;

    private static PacketLab lab;
    private Situation service;

    static Stream<Mode> modes() {
        return Mode.withOwnRules();
    }

    static Stream<Mode> kernelModes() {
        return Mode.withOwnRules().filter(Mode::inKernel);
    }

    @BeforeAll
    static void build() throws Exception {
        lab = new PacketLab(temp);
    }

    @AfterAll
    static void tearDown() {
        if (lab != null) {
            lab.close();
        }
    }

    @BeforeEach
    void create() throws Exception {
        service = lab.create("Cluster", "a1, b1");
    }

    @AfterEach
    void leaveNothing() throws Exception {
        lab.stopProxy();
        lab.delete(service);
        nodeA().exec("", "nft", "flush", "ruleset");
    }

    private static NetSpace nodeA() {
        return lab.topology().nodeA();
    }

    /** From a pod, the node, and outside; both families. */
    private List<Probe> probes() {
        return Stream.of(IPV4, IPV6)
                .flatMap(family -> Stream.of(
                        lab.probe(
                                lab.topology().space("c1"), service, Knock.CLUSTER_IP, family, TCP),
                        lab.probe(nodeA(), service, Knock.CLUSTER_IP, family, TCP),
                        lab.probe(lab.topology().outside(), service, Knock.NODE_PORT, family, TCP),
                        lab.probe(lab.topology().outside(), service, Knock.VIP, family, TCP)))
                .toList();
    }

    private Load load() {
        return new Load(Set.of("a1", "b1"), probes());
    }

    /** The proxy still follows what changes. */
    private void assertFollows() throws Exception {
        for (String only : List.of("a1", "b1")) {
            lab.endpoints(service.with(only));
            for (Probe probe : probes()) {
                PacketLab.awaitServedByNobodyBut(only, probe);
            }
        }
        lab.endpoints(service);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("kernelModes")
    void restartsAndKillsDropNothing(Mode mode) throws Exception {
        nodeA().exec(FOREIGN, "nft", "-f", "-");
        String foreign = nodeA().exec("", "nft", "list", "table", "inet", "stranger");
        lab.startProxy(mode, Settings.POD_BLOCK);
        try (Load load = load()) {
            load.awaitMore(300);
            lab.stopProxy();
            load.awaitMore(300);
            lab.startProxy(mode, Settings.POD_BLOCK);
            load.awaitMore(300);
            lab.proxy().kill();
            load.awaitMore(300);
            lab.startProxy(mode, Settings.POD_BLOCK);
            load.awaitMore(300);
            assertThat(load.failures()).isEmpty();
        }
        assertFollows();
        assertThat(withoutCounters(nodeA().exec("", "nft", "list", "table", "inet", "stranger")))
                .isEqualTo(withoutCounters(foreign));
    }

    private static String withoutCounters(String rules) {
        return rules.replaceAll("packets \\d+ bytes \\d+", "");
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("kernelModes")
    void whatChangedWhileTheProxyWasAwayIsInForceAfterIt(Mode mode) throws Exception {
        Situation going = lab.create("Cluster", "a1");
        Probe gone = lab.probe(lab.topology().space("c1"), going, Knock.CLUSTER_IP, IPV4, TCP);
        lab.startProxy(mode, Settings.POD_BLOCK);
        PacketLab.awaitServedBy("a1", gone);
        lab.proxy().kill();
        lab.delete(going);
        lab.endpoints(service.with("b1"));
        Situation fresh = lab.create("Cluster", "a1");
        lab.startProxy(mode, Settings.POD_BLOCK);
        PacketLab.awaitServedBy(
                "a1", lab.probe(lab.topology().space("c1"), fresh, Knock.CLUSTER_IP, IPV4, TCP));
        for (Probe probe : probes()) {
            PacketLab.awaitServedByNobodyBut("b1", probe);
        }
        assertThat(PacketLab.servedBy("a1", gone.ask(Duration.ofSeconds(1)))).isFalse();
        lab.delete(fresh);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("kernelModes")
    void aFlushByHandIsRepaired(Mode mode) throws Exception {
        lab.startProxy(mode, Settings.POD_BLOCK);
        try (Load load = load()) {
            load.awaitMore(300);
            assertThat(load.failures()).isEmpty();
            long flushed = System.nanoTime();
            nodeA().exec("", "nft", "flush", "ruleset");
            long last = load.awaitCalm(500);
            System.out.printf(
                    "%s: repaired %d ms after the flush%n",
                    mode.text, Math.max(0, last - flushed) / 1_000_000);
        }
        assertFollows();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void anApiServerThatIsAwayDisturbsNothing(Mode mode) throws Exception {
        lab.startProxy(mode, Settings.POD_BLOCK);
        try (Load load = load()) {
            load.awaitMore(300);
            lab.tunnel().cut(true);
            load.awaitMore(1_500);
            lab.tunnel().cut(false);
            load.awaitMore(300);
            assertThat(load.failures()).isEmpty();
        }
        assertFollows();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void nodePortsAnswerOnAddressesThatAreAdded(Mode mode) throws Exception {
        lab.startProxy(
                mode, Settings.POD_BLOCK, "--nodeport-addresses=192.0.2.0/24,2001:db8:99::/64");
        IpAddress added = IpAddress.of("192.0.2.50");
        int port = service.port(Knock.NODE_PORT);
        Probe before = lab.probe(lab.topology().outside(), service, Knock.NODE_PORT, IPV4, TCP);
        await().until(() -> before.ask(Duration.ofSeconds(2)) instanceof Seen.Answer);
        try (Load load = load()) {
            nodeA().ip("addr add " + added + "/24 dev lan");
            Probe probe = new Probe(lab.topology().outside(), added, port, TCP);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> probe.ask(Duration.ofSeconds(2)) instanceof Seen.Answer);
            nodeA().ip("addr del " + added + "/24 dev lan");
            load.awaitMore(300);
            assertThat(load.failures()).isEmpty();
        }
        // Not in the blocks.
        assertThat(lab.probe(lab.topology().outside(), service, Knock.OTHER_NODE_PORT, IPV4, TCP)
                        .ask(Duration.ofSeconds(5)))
                .isEqualTo(new Seen.Refusal());
    }

    @ParameterizedTest
    @MethodSource("modes")
    void cleanUpLeavesTheNodeAsItWas(Mode mode) throws Exception {
        nodeA().exec(FOREIGN, "nft", "-f", "-");
        NodeRules before = NodeRules.of(nodeA());
        lab.startProxy(mode, Settings.POD_BLOCK);
        for (Probe probe : probes()) {
            await().until(() -> probe.ask(Duration.ofSeconds(2)) instanceof Seen.Answer);
        }
        lab.stopProxy();
        if (mode.inKernel()) {
            assertThat(NodeRules.of(nodeA())).as("rules stay after SIGTERM").isNotEqualTo(before);
            for (Probe probe : probes()) {
                assertThat(probe.ask(Duration.ofSeconds(5))).isInstanceOf(Seen.Answer.class);
            }
        }
        lab.cleanUp();
        assertThat(withoutCounters(NodeRules.of(nodeA()).toString()))
                .isEqualTo(withoutCounters(before.toString()));
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("kernelModes")
    void modesFollowEachOtherWithoutAWrongAnswer(Mode mode) throws Exception {
        List<Mode> others = kernelModes().filter(other -> other != mode).toList();
        assumeThat(others).as("another mode of the kernel").isNotEmpty();
        lab.startProxy(mode, Settings.POD_BLOCK);
        try (Load load = load()) {
            for (Mode next : others) {
                load.awaitMore(300);
                lab.stopProxy();
                lab.startProxy(next, Settings.POD_BLOCK);
                load.awaitMore(300);
                assertThat(lab.get("/proxyMode")).isEqualTo(next.text);
                lab.stopProxy();
                lab.startProxy(mode, Settings.POD_BLOCK);
            }
            load.awaitMore(300);
            assertThat(load.failures()).isEmpty();
        }
        assertFollows();
    }
}
