package io.sluice.nft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.nft.TwinNft;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Small steps must lead where one large step leads; a table as strict as the kernel's must take every one of them. */
class NftPlannerPropertyTest {
    private static final int STEPS = 60;

    @RepeatedTest(20)
    void stepsLeadWhereOneLeads(RepetitionInfo info) throws KernelException {
        Random random = new Random(info.getCurrentRepetition());
        RandomImages images = new RandomImages(random);
        IpFamily family = IpFamily.values()[random.nextInt(2)];
        RuleSettings settings = settings(random);
        NodeFacts facts = images.facts();
        RandomImages.Image image = images.next(RandomImages.EMPTY);
        TwinNft kernel = new TwinNft();
        NftPlanner planner = new NftPlanner(family, settings, facts, conflict -> {});
        kernel.commit(planner.full(image, facts));
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(8) == 0) {
                facts = images.facts();
                Optional<Transaction> transaction = planner.onNode(facts);
                kernel.commit(
                        transaction.isPresent() ? transaction.get() : planner.full(image, facts));
            } else {
                RandomImages.Image next = images.next(image);
                kernel.commit(planner.update(RandomImages.delta(image, next)));
                image = next;
            }
            check(kernel, planner, family, settings, image, facts, step);
        }
    }

    private static void check(
            TwinNft kernel,
            NftPlanner planner,
            IpFamily family,
            RuleSettings settings,
            RandomImages.Image image,
            NodeFacts facts,
            int step)
            throws KernelException {
        TwinNft fresh = new TwinNft();
        NftPlanner slow = new NftPlanner(family, settings, facts, conflict -> {});
        fresh.commit(slow.full(image, facts));
        assertThat(kernel.table(family)).as("step %d", step).isEqualTo(fresh.table(family));
        assertThat(planner.census()).as("step %d", step).isEqualTo(kernel.census(family));
        assertThat(NftText.of(planner.table())).isEqualTo(NftText.of(slow.table()));
    }

    static RuleSettings settings(Random random) {
        LocalDetector detector = switch (random.nextInt(4)) {
            case 0 -> new LocalDetector.None();
            case 1 -> new LocalDetector.Bridge("cni0");
            case 2 -> new LocalDetector.Prefix("veth");
            default ->
                new LocalDetector.Source(List.of(Cidr.of("10.1.0.0/16"), Cidr.of("fd00:1::/32")));
        };
        NodePortAddresses nodePorts = switch (random.nextInt(3)) {
            case 0 -> NodePortAddresses.ALL;
            case 1 -> NodePortAddresses.parse(List.of("primary"));
            default -> NodePortAddresses.parse(List.of("192.0.2.0/24", "2001:db8:1::/48"));
        };
        return new RuleSettings(0x4000, random.nextInt(4) == 0, detector, nodePorts, true, true);
    }
}
