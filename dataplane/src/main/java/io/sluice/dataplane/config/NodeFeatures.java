package io.sluice.dataplane.config;

/**
 * What this node can do, as far as it decides the mode.
 *
 * @param nftables whether the kernel takes our rules
 * @param iptables whether there is an iptables that works
 */
public record NodeFeatures(Finding nftables, Finding iptables) {

    /** What a probe said. @param why what was tried and found; for a person */
    public record Finding(Answer answer, String why) {}

    /** A probe may fail for reasons that say nothing. */
    public enum Answer {
        YES,
        NO,
        UNKNOWN
    }
}
