/** What a mode of the proxy costs at size: first sync, one change, resync, memory. Edge: a program of its own, in a network namespace. */
package io.sluice.bench.kernel;
