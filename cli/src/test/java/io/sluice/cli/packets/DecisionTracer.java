package io.sluice.cli.packets;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpAddress;
import io.sluice.cli.packets.PacketTable.Question;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Decision;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.endpoints.SourceClass;
import io.sluice.rules.Fate;
import io.sluice.rules.Packet;

import java.util.TreeSet;
import java.util.stream.Collectors;

/** Asks {@link Decision}. It speaks of a Service's own frontends alone, and of hairpins as of any pod. */
record DecisionTracer(ProxyImage image) implements Tracer {

    @Override
    public boolean canBeAsked(Question question) {
        return switch (question.knock()) {
            case CLUSTER_IP, EXTERNAL_IP, VIP, NODE_PORT -> true;
            case UNUSED_PORT, UNALLOCATED, OTHER_NODE_PORT, LOCAL_NODE_PORT -> false;
        };
    }

    @Override
    public Fate fate(Situation situation, Question question) {
        ServicePortName name = new ServicePortName(
                new NamespacedName(Situation.NAMESPACE, situation.name()),
                question.protocol().name().toLowerCase(),
                question.protocol(),
                question.family());
        ServicePortImage port = image.find(name).orElseThrow();
        Packet packet = Packets.of(situation, question);
        Frontend.Kind kind = switch (question.knock()) {
            case CLUSTER_IP -> Frontend.Kind.CLUSTER_IP;
            case EXTERNAL_IP -> Frontend.Kind.EXTERNAL_IP;
            case VIP -> Frontend.Kind.LOAD_BALANCER;
            default -> Frontend.Kind.NODE_PORT;
        };
        if (kind == Frontend.Kind.LOAD_BALANCER && port.vips().isEmpty()) {
            return new Fate.Untouched();
        }
        SourceClass from = switch (question.source()) {
            case POD, HAIRPIN -> SourceClass.POD;
            case NODE -> SourceClass.NODE;
            case OUTSIDE -> SourceClass.OUTSIDE;
        };
        return switch (Decision.of(port, kind, from, packet.from())) {
            case Decision.Reject reject -> new Fate.Reject();
            case Decision.Drop drop -> new Fate.Drop();
            case Decision.Forward forward ->
                new Fate.Forward(
                        forward.backends().stream()
                                .map(Backend::text)
                                .collect(Collectors.toCollection(TreeSet::new)),
                        !forward.keepSource() || meetsItself(forward, packet.from()));
        };
    }

    private static boolean meetsItself(Decision.Forward forward, IpAddress client) {
        return forward.backends().stream().anyMatch(backend -> backend.address().equals(client));
    }
}
