/**
 * The state of the cluster as readers see it: one cache for each storage prefix, all fed in order by one watch of the store. State,
 * owned by the thread of that watch; readers take immutable snapshots under the cache's lock. May import {@code registry} and the store.
 */
package io.sluice.apiserver.watchcache;
