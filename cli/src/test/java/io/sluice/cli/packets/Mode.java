package io.sluice.cli.packets;

import java.util.stream.Stream;

/** What carries the packets. */
enum Mode {
    USERSPACE("userspace", "userspace"),
    NFTABLES("nftables", "nftables"),
    IPTABLES("iptables", "iptables"),
    /** On a node whose iptables are the older ones. */
    IPTABLES_LEGACY("iptables", "iptables-legacy"),
    IPVS("ipvs", "ipvs");

    /** Names the modes to try, with commas between; a machine whose kernel has IPVS says {@code ipvs}. */
    static final String PROPERTY = "sluice.lab.modes";

    /** As the proxy calls it, and the table. */
    final String text;

    private final String name;

    Mode(String text, String name) {
        this.text = text;
        this.name = name;
    }

    /** Whether the kernel carries them. */
    boolean inKernel() {
        return this != USERSPACE;
    }

    /** Mode userspace tells pods by their addresses alone. */
    boolean knows(Settings settings) {
        return inKernel() || settings != Settings.POD_INTERFACE;
    }

    /** What this machine tries. */
    static Stream<Mode> here() {
        return Stream.of(System.getProperty(PROPERTY, "userspace,nftables,iptables,iptables-legacy")
                        .split(","))
                .map(Mode::of);
    }

    /** Those whose rules differ; the older iptables get the same ones through other tools, which the table alone is tried on. */
    static Stream<Mode> withOwnRules() {
        return here().filter(mode -> mode != IPTABLES_LEGACY);
    }

    private static Mode of(String text) {
        return Stream.of(values())
                .filter(mode -> mode.name.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(PROPERTY + ": no mode " + text));
    }

    @Override
    public String toString() {
        return name;
    }
}
