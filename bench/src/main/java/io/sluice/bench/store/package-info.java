/**
 * Store trials: engines beside each other in one run.
 *
 * <p>Kind: edge (disk, threads, clock). Imports the store and the engines.
 */
package io.sluice.bench.store;
