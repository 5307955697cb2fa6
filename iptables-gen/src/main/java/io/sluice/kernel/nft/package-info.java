/**
 * nf_tables over netlink ({@code include/uapi/linux/netfilter/nf_tables.h}, {@code nfnetlink.h}): the one door through which tables of
 * {@code io.sluice.nft} reach the kernel. Edge.
 */
package io.sluice.kernel.nft;
