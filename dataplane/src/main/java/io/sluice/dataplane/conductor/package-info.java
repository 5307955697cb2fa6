/**
 * Keeps the dataplane in step with the API server: one thread owns the trackers, decides when to sync, and publishes what came of it.
 * <i>State</i>, owned by the conductor's thread; {@code Pacer} is pure but for its fields. May import {@code endpoints}, {@code apply}.
 */
package io.sluice.dataplane.conductor;
