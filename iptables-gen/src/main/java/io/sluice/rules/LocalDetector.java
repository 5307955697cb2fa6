package io.sluice.rules;

import io.sluice.api.net.Cidr;

import java.util.List;

/** How connections from pods of this node are told from others: kube-proxy's {@code detectLocalMode}. */
public sealed interface LocalDetector {

    /** Nobody is known to be a pod: every client counts as one off the node, and cluster IPs are not masqueraded. */
    record None() implements LocalDetector {}

    /** Pods have these source addresses. @param blocks at least one; a family without a block has no detector */
    record Source(List<Cidr> blocks) implements LocalDetector {}

    /** Pods come in through the interface of this name, a bridge. */
    record Bridge(String name) implements LocalDetector {}

    /** Pods come in through interfaces whose names begin so. */
    record Prefix(String prefix) implements LocalDetector {}
}
