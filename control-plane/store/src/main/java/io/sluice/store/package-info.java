/** Keys in order, one revision counter, compare-and-set transactions, watch from a revision: etcd's semantics. */
package io.sluice.store;
