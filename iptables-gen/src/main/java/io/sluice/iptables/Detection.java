package io.sluice.iptables;

import io.sluice.api.net.IpFamily;
import io.sluice.rules.LocalDetector;

import java.util.Optional;

/** A local detector in iptables' words. */
record Detection(Match fromPod, Match notFromPod) {

    /** Empty where nobody is known to be a pod in this family. Of several blocks of a family the first counts. */
    static Optional<Detection> of(LocalDetector detector, IpFamily family) {
        return switch (detector) {
            case LocalDetector.None none -> Optional.empty();
            case LocalDetector.Source source ->
                source.blocks().stream()
                        .filter(block -> block.family() == family)
                        .findFirst()
                        .map(block -> new Detection(
                                new Match.From(block, false), new Match.From(block, true)));
            case LocalDetector.Bridge bridge -> Optional.of(interfaces(bridge.name()));
            case LocalDetector.Prefix prefix -> Optional.of(interfaces(prefix.prefix() + '+'));
        };
    }

    private static Detection interfaces(String name) {
        return new Detection(new Match.In(name, false), new Match.In(name, true));
    }
}
