/**
 * What a Service means on this node: who may receive a connection, and why others may not. Pure, but for the two trackers, each a
 * <i>state</i> owned by the dataplane's conductor thread. May import {@code api} without its client.
 */
package io.sluice.endpoints;
