/** The server's counters, under the names kube-apiserver gives them where the meaning is the same. Edge. */
package io.sluice.apiserver.metrics;
