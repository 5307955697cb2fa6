/** Takes away what modes leave in the kernel: ours, and kube-proxy's. Edge. */
package io.sluice.dataplane.cleanup;
