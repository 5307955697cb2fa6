/** What the proxy counts, under kube-proxy's names and our own. Thread-safe. May import the Prometheus client and {@code relay}. */
package io.sluice.dataplane.metrics;
