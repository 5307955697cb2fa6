/**
 * Ends UDP flows whose endpoint no longer serves. {@code StaleFlows} is pure, {@code FlowEnder} an applier around another one, owned by
 * the conductor's thread. May import {@code apply}, {@code endpoints}, {@code kernel.conntrack} and {@code api}.
 */
package io.sluice.dataplane.conntrack;
