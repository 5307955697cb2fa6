/** Sets of addresses and ports that iptables rules ask, over nfnetlink ({@code include/uapi/linux/netfilter/ipset}). Edge. */
package io.sluice.kernel.ipset;
