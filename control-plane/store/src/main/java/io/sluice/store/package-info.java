/**
 * Keys in order, one revision counter, compare-and-set transactions, watch from a revision: etcd's semantics.
 *
 * <p>Kind: pure (the contract and its values). Imports the JDK alone.
 */
package io.sluice.store;
