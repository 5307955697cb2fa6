/**
 * Mode iptables: the applier and the tools it runs. Edge; may import {@code apply}, {@code iptables}, {@code rules}, {@code endpoints},
 * {@code kernel.nft} and {@code api}.
 */
package io.sluice.dataplane.iptables;
