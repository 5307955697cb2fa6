/**
 * The load bench: the userspace relay beside a direct connection, HAProxy and nginx, in interleaved rounds on this machine. Edge,
 * but for {@code Figures} and the two reports, which are pure.
 */
package io.sluice.bench.load;
