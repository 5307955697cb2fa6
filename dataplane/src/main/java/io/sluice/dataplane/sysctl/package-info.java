/** Kernel settings of the node that kube-proxy sets as well. Edge: reads and writes files under /proc and /sys; imports api and config. */
package io.sluice.dataplane.sysctl;
