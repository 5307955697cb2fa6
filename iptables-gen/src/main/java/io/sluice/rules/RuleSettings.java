package io.sluice.rules;

import io.sluice.endpoints.NodePortAddresses;

/**
 * What an administrator decides about the rules of a node; the same for all modes.
 *
 * @param mark the one bit of the packet mark that asks for masquerade, 1 &lt;&lt; {@code masqueradeBit}
 * @param masqueradeAll whether every connection to a cluster IP is masqueraded
 * @param nodePortAddresses where node ports answer; the mode's own default is filled in already
 * @param localhostNodePorts whether node ports answer on loopback addresses, in the modes that can
 * @param dropInvalid whether forwarded packets that connection tracking calls invalid are dropped: true unless it is liberal
 */
public record RuleSettings(
        int mark,
        boolean masqueradeAll,
        LocalDetector detector,
        NodePortAddresses nodePortAddresses,
        boolean localhostNodePorts,
        boolean dropInvalid) {

    /** kube-proxy 1.36's {@code masqueradeBit}. */
    public static final int DEFAULT_MASQUERADE_BIT = 14;

    public RuleSettings {
        if (Integer.bitCount(mark) != 1) {
            throw new IllegalArgumentException("mark 0x%x is not one bit".formatted(mark));
        }
    }
}
