package io.sluice.cli.packets;

import io.sluice.api.net.Cidr;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.RuleSettings;

import java.util.List;
import java.util.stream.Stream;

/** How the proxy is configured, by the headings of the table. */
enum Settings {
    POD_BLOCK("Pods by cluster CIDR", "--cluster-cidr=" + LabPlan.POD_RANGES),
    PODS_UNKNOWN("Pods unknown"),
    POD_INTERFACE(
            "Pods by interface name",
            "--detect-local-mode=InterfaceNamePrefix",
            "--pod-interface-name-prefix=" + LabPlan.POD_INTERFACES),
    MASQUERADE_ALL(
            "Masquerade all", "--cluster-cidr=" + LabPlan.POD_RANGES, "--masquerade-all=true");

    private final String heading;
    final List<String> flags;

    Settings(String heading, String... flags) {
        this.heading = heading;
        this.flags = List.of(flags);
    }

    static Settings of(String heading) {
        return Stream.of(values())
                .filter(settings -> settings.heading.equals(heading))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such settings: " + heading));
    }

    LocalDetector detector() {
        return switch (this) {
            case POD_BLOCK, MASQUERADE_ALL ->
                new LocalDetector.Source(
                        Stream.of(LabPlan.POD_RANGES.split(",")).map(Cidr::of).toList());
            case PODS_UNKNOWN -> new LocalDetector.None();
            case POD_INTERFACE -> new LocalDetector.Prefix(LabPlan.POD_INTERFACES);
        };
    }

    /** As the flags make them, with the mode's own default of node-port addresses. */
    RuleSettings rules(Mode mode) {
        return new RuleSettings(
                1 << RuleSettings.DEFAULT_MASQUERADE_BIT,
                this == MASQUERADE_ALL,
                detector(),
                mode == Mode.NFTABLES
                        ? NodePortAddresses.parse(List.of("primary"))
                        : NodePortAddresses.ALL,
                true,
                true);
    }
}
