/** Keyed work with coalescing and back-off, for all controllers. State, guarded by one lock. Imports nothing of Sluice. */
package io.sluice.controllers.queue;
