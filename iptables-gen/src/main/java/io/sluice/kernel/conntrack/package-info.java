/** Connection tracking: flows the kernel follows, listed and ended. Edge; may import {@code kernel}, {@code kernel.netlink} and {@code api}. */
package io.sluice.kernel.conntrack;
