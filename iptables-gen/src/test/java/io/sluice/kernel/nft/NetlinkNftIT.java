package io.sluice.kernel.nft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.kernel.InNamespace;
import io.sluice.kernel.KernelException;
import io.sluice.nft.NftPlanner;
import io.sluice.nft.NftText;
import io.sluice.nft.RandomImages;
import io.sluice.nft.Transaction;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The kernel takes what the twin takes, and holds the same afterwards. Needs root and nftables. */
class NetlinkNftIT {
    private static final RuleSettings SETTINGS = new RuleSettings(
            0x4000,
            false,
            new LocalDetector.Source(List.of(Cidr.of("10.1.0.0/16"), Cidr.of("fd00:1::/32"))),
            NodePortAddresses.ALL,
            true,
            true);

    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void kernelTakesEveryStep(IpFamily family) throws Exception {
        InNamespace.run(() -> {
            Random random = new Random(7);
            RandomImages images = new RandomImages(random);
            NodeFacts facts = images.facts();
            RandomImages.Image image = images.next(RandomImages.EMPTY);
            TwinNft twin = new TwinNft();
            NftPlanner planner = new NftPlanner(family, SETTINGS, facts, conflict -> {});
            try (NetlinkNft kernel = NetlinkNft.open()) {
                commit(planner.full(image, facts), twin, kernel);
                for (int step = 0; step < 150; step++) {
                    if (step % 10 == 9) {
                        facts = images.facts();
                        Optional<Transaction> transaction = planner.onNode(facts);
                        commit(
                                transaction.isPresent()
                                        ? transaction.get()
                                        : planner.full(image, facts),
                                twin,
                                kernel);
                    } else {
                        RandomImages.Image next = images.next(image);
                        commit(planner.update(RandomImages.delta(image, next)), twin, kernel);
                        image = next;
                    }
                    assertThat(kernel.census(family))
                            .as("step %d", step)
                            .isEqualTo(twin.census(family));
                }
                assertThat(kernel.elements(family))
                        .containsExactlyInAnyOrderElementsOf(twin.elements(family));
                String listed = InNamespace.exec("nft", "list", "ruleset");
                assertThat(listed).contains("map endpoints-", "set frontends", "numgen random mod");
                assertThat(planner.table().elements())
                        .allSatisfy(element -> assertThat(listed).contains(NftText.key(element)));
            }
        });
    }

    private static void commit(Transaction transaction, TwinNft twin, NetlinkNft kernel)
            throws KernelException {
        int before = kernel.generation();
        twin.commit(transaction);
        kernel.commit(transaction);
        assertThat(kernel.generation()).isEqualTo(transaction.isEmpty() ? before : before + 1);
    }
}
