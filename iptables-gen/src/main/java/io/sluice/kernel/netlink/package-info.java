/**
 * Netlink (RFC 3549, {@code include/uapi/linux/netlink.h}): sockets, and messages written and read. Edge; what a family's messages mean
 * is said in the package of that family.
 */
package io.sluice.kernel.netlink;
