package io.sluice.cli.packets;

import io.sluice.api.net.IpFamily;
import io.sluice.cli.packets.PacketTable.Question;
import io.sluice.endpoints.ProxyImage;
import io.sluice.nft.NftPlanner;
import io.sluice.nft.NftTable;
import io.sluice.nft.NftTracer;
import io.sluice.rules.Fate;
import io.sluice.rules.RuleSettings;

import java.util.EnumMap;
import java.util.Map;

/** Follows packets through both tables of mode nftables. */
record NftTableTracer(Map<IpFamily, NftTable> tables) implements Tracer {

    static NftTableTracer of(ProxyImage image, RuleSettings settings) {
        Map<IpFamily, NftTable> tables = new EnumMap<>(IpFamily.class);
        for (IpFamily family : IpFamily.values()) {
            NftPlanner planner = new NftPlanner(family, settings, Packets.FACTS, problem -> {
                throw new IllegalStateException(problem);
            });
            planner.full(image, Packets.FACTS);
            tables.put(family, planner.table());
        }
        return new NftTableTracer(tables);
    }

    @Override
    public Fate fate(Situation situation, Question question) {
        return NftTracer.trace(tables.get(question.family()), Packets.of(situation, question))
                .fate();
    }
}
