package io.sluice.dataplane.config;

import io.sluice.dataplane.config.NodeFeatures.Answer;
import io.sluice.dataplane.config.NodeFeatures.Finding;

/** What nodes can do. */
public final class Features {
    private Features() {}

    public static NodeFeatures none() {
        return of(Answer.NO, Answer.NO);
    }

    static NodeFeatures of(Answer nftables, Answer iptables) {
        return new NodeFeatures(
                new Finding(nftables, "none here"), new Finding(iptables, "none there"));
    }
}
