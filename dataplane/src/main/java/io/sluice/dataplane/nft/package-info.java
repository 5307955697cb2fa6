/** Mode nftables: carries the plans of {@code io.sluice.nft} into the kernel, and notices who else changes them. Edge. */
package io.sluice.dataplane.nft;
