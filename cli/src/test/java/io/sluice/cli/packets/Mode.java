package io.sluice.cli.packets;

import java.util.stream.Stream;

/** What carries the packets. */
enum Mode {
    USERSPACE("userspace"),
    NFTABLES("nftables"),
    IPTABLES("iptables"),
    IPVS("ipvs");

    /** Names the modes to try, with commas between; a machine whose kernel has IPVS says {@code ipvs}. */
    static final String PROPERTY = "sluice.lab.modes";

    final String text;

    Mode(String text) {
        this.text = text;
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
        return Stream.of(System.getProperty(PROPERTY, "userspace,nftables,iptables")
                        .split(","))
                .map(Mode::of);
    }

    private static Mode of(String text) {
        return Stream.of(values())
                .filter(mode -> mode.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(PROPERTY + ": no mode " + text));
    }
}
