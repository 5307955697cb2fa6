package io.sluice.cli.packets;

/** What carries the packets. */
enum Mode {
    USERSPACE("userspace"),
    NFTABLES("nftables"),
    IPTABLES("iptables"),
    IPVS("ipvs");

    final String text;

    Mode(String text) {
        this.text = text;
    }
}
