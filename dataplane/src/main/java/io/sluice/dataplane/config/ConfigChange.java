package io.sluice.dataplane.config;

import java.util.List;
import java.util.Set;

/**
 * What differs between two configurations, and what that takes.
 *
 * @param keys of the configuration file, in its order
 */
public record ConfigChange(List<String> keys) {
    /** They are written to files of the kernel; nothing that carries traffic knows them. */
    private static final Set<String> SETTINGS = Set.of(
            "oomScoreAdj",
            "conntrack.maxPerCore",
            "conntrack.min",
            "conntrack.tcpEstablishedTimeout",
            "conntrack.tcpCloseWaitTimeout",
            "conntrack.udpTimeout",
            "conntrack.udpStreamTimeout");

    /** What is to be done about a change. */
    public enum Effort {
        /** There is none. */
        NOTHING,
        /** Kernel settings are written again. */
        SETTINGS,
        /** The proxy starts again within its process; the kernel carries traffic meanwhile. */
        RESTART,
        /** Connections run through this process, so whoever runs it has to choose the moment. */
        EXIT
    }

    public static ConfigChange between(ProxyConfig before, ProxyConfig after) {
        return new ConfigChange(ConfigField.ALL.stream()
                .map(ConfigField::path)
                // As text: numbers that are the same may come as different types.
                .filter(path -> !text(before, path).equals(text(after, path)))
                .toList());
    }

    private static String text(ProxyConfig config, String path) {
        return ConfigFile.get(config.effective(), path).toString();
    }

    /** @param running the mode that carries traffic now */
    public Effort effort(ProxyMode running) {
        if (keys.isEmpty()) {
            return Effort.NOTHING;
        }
        if (SETTINGS.containsAll(keys)) {
            return Effort.SETTINGS;
        }
        return running == ProxyMode.USERSPACE ? Effort.EXIT : Effort.RESTART;
    }
}
