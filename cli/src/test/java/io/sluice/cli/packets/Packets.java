package io.sluice.cli.packets;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.cli.packets.PacketTable.Question;
import io.sluice.endpoints.NodeView;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.Packet;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The table's packets as they reach node A's hooks, and what A's planner knows of it. */
final class Packets {
    static final NodeView NODE = new NodeView(
            LabPlan.NODE_A,
            LabPlan.ZONE,
            List.of(LabPlan.nodeA(IpFamily.IPV4), LabPlan.nodeA(IpFamily.IPV6)));
    static final NodeFacts FACTS = new NodeFacts(
            NODE,
            interfaceAddresses(),
            Stream.of(LabPlan.SERVICE_RANGES.split(",")).map(Cidr::of).toList());

    private Packets() {}

    private static List<IpAddress> interfaceAddresses() {
        List<IpAddress> out = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            out.add(LabPlan.localhost(family));
            out.add(LabPlan.nodeA(family));
            out.add(LabPlan.nodeAOutside(family));
            out.add(LabPlan.nodeAWorld(family));
        }
        return out.stream().sorted().toList();
    }

    static Packet of(Situation situation, Question question) {
        IpFamily family = question.family();
        IpAddress to = situation.address(question.knock(), family);
        String pod =
                question.source() == Source.HAIRPIN ? situation.hairpinPod().orElseThrow() : "c1";
        boolean fromNode = question.source() == Source.NODE;
        IpAddress from = switch (question.source()) {
            case POD, HAIRPIN -> LabPlan.pod(pod, family);
            case OUTSIDE -> LabPlan.outside(family);
            // To itself the kernel speaks from the address it speaks to.
            case NODE -> question.knock().onTheNode() ? to : LabPlan.nodeA(family);
        };
        String in = switch (question.source()) {
            case POD, HAIRPIN -> LabPlan.podInterface(pod);
            case OUTSIDE -> "outside";
            case NODE -> "";
        };
        return new Packet(
                in,
                from,
                fromNode,
                to,
                question.knock().onTheNode(),
                situation.port(question.knock()),
                question.protocol());
    }
}
