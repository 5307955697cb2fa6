/** Benchmarks: every figure beside a peer, measured in the same run. Nothing depends on this module. Edge. */
package io.sluice.bench;
