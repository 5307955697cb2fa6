/** The store as slow and obvious as can be, in memory: what the real one is compared with. Kind: state (one lock). */
package io.sluice.store.twin;
