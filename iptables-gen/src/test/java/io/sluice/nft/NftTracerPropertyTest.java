package io.sluice.nft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.Decision;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.SourceClass;
import io.sluice.rules.Fate;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.Packet;
import io.sluice.rules.RuleSettings;
import io.sluice.rules.Trace;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The rules must do what the decision shared by all modes says, to every kind of client at every frontend. */
class NftTracerPropertyTest {
    private static final RuleSettings SETTINGS = new RuleSettings(
            0x4000,
            false,
            new LocalDetector.Source(List.of(Cidr.of("10.1.0.0/16"), Cidr.of("fd00:1::/32"))),
            NodePortAddresses.ALL,
            true,
            true);

    @RepeatedTest(40)
    void rulesDoWhatWasDecided(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        RandomImages images = new RandomImages(random);
        IpFamily family = IpFamily.values()[random.nextInt(2)];
        RandomImages.Image image = RandomImages.EMPTY;
        for (int i = 0; i < 12; i++) {
            image = images.next(image);
        }
        NodeFacts facts = images.facts();
        NftPlanner planner = new NftPlanner(family, SETTINGS, facts, conflict -> {});
        planner.full(image, facts);
        NftTable table = planner.table();
        FrontendIndex index = new FrontendIndex();
        index.apply(RandomImages.delta(RandomImages.EMPTY, image), conflict -> {});
        for (var port : image.ports()) {
            if (port.name().family() != family) {
                continue;
            }
            for (Frontend frontend : io.sluice.endpoints.Frontends.of(port)) {
                for (SourceClass from : SourceClass.values()) {
                    compare(table, index, frontend, from, facts);
                }
            }
        }
    }

    private static void compare(
            NftTable table,
            FrontendIndex index,
            Frontend frontend,
            SourceClass from,
            NodeFacts facts) {
        boolean v4 = table.family() == IpFamily.IPV4;
        List<IpAddress> addresses = frontend.kind() == Frontend.Kind.NODE_PORT
                ? facts.interfaceAddresses().stream()
                        .filter(address ->
                                address.family() == table.family() && !address.isLoopback())
                        .toList()
                : List.of(frontend.address());
        IpAddress source = IpAddress.of(
                switch (from) {
                    case OUTSIDE -> v4 ? "203.0.113.200" : "2001:db8:9::200";
                    case POD -> v4 ? "10.1.0.77" : "fd00:1::77";
                    case NODE -> v4 ? "192.0.2.1" : "2001:db8::1";
                });
        for (IpAddress to : addresses) {
            Frontend.Key key = new Frontend.Key(to, frontend.port(), frontend.protocol());
            var owner = index.owner(key).or(() -> index.owner(frontend.key())).orElseThrow();
            Decision decision = Decision.of(owner.port(), owner.frontend().kind(), from, source);
            Packet packet = new Packet(
                    from == SourceClass.NODE ? "" : "eth0",
                    source,
                    from == SourceClass.NODE,
                    to,
                    facts.interfaceAddresses().contains(to),
                    frontend.port(),
                    frontend.protocol());
            Trace trace = NftTracer.trace(table, packet);
            assertThat(trace.fate())
                    .as("%s from %s: %s %s", owner, from, packet, trace.steps())
                    .isEqualTo(fate(decision));
        }
    }

    private static Fate fate(Decision decision) {
        return switch (decision) {
            case Decision.Forward forward ->
                new Fate.Forward(
                        forward.backends().stream()
                                .map(backend -> backend.address().withPort(backend.port()))
                                .collect(Collectors.toCollection(TreeSet::new)),
                        !forward.keepSource());
            case Decision.Reject reject -> new Fate.Reject();
            case Decision.Drop drop -> new Fate.Drop();
        };
    }
}
