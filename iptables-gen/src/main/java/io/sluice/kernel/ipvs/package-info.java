/**
 * IPVS in the kernel, over generic netlink ({@code include/uapi/linux/ip_vs.h}). Edge; may import {@code io.sluice.ipvs}, whose values it
 * writes and reads.
 */
package io.sluice.kernel.ipvs;
