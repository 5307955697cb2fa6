/**
 * Cluster addresses and node ports: given out once, taken back when nobody holds them. State: one lock around all pools
 * ({@link io.sluice.apiserver.allocator.ServiceAllocator}); nothing is written to disk, since the stored Services say what is taken.
 * May import {@code api}, {@code registry}'s records, {@code validation} and Jackson.
 */
package io.sluice.apiserver.allocator;
