package io.sluice.cli.packets;

import io.sluice.api.net.IpFamily;
import io.sluice.cli.packets.PacketTable.Question;
import io.sluice.endpoints.ProxyImage;
import io.sluice.iptables.IptablesPlanner;
import io.sluice.iptables.IptablesProgram;
import io.sluice.iptables.IptablesTracer;
import io.sluice.rules.Fate;
import io.sluice.rules.RuleSettings;

import java.util.EnumMap;
import java.util.Map;

/** Follows packets through the tables of mode iptables. */
record IptablesTableTracer(Map<IpFamily, IptablesProgram> programs) implements Tracer {

    static IptablesTableTracer of(ProxyImage image, RuleSettings settings) {
        Map<IpFamily, IptablesProgram> programs = new EnumMap<>(IpFamily.class);
        for (IpFamily family : IpFamily.values()) {
            programs.put(
                    family,
                    new IptablesPlanner(
                                    family, settings, Packets.FACTS, IptablesPlanner.FEW_AT_ONCE)
                            .program(image.ports().stream()
                                    .filter(port -> port.name().family() == family)
                                    .toList()));
        }
        return new IptablesTableTracer(programs);
    }

    @Override
    public Fate fate(Situation situation, Question question) {
        return IptablesTracer.trace(
                programs.get(question.family()), Packets.of(situation, question));
    }
}
