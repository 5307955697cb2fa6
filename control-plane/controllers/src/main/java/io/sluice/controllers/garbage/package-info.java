/**
 * Deletes what belongs to nothing any more, and carries out foreground deletion and orphaning. {@code OwnerGraph} is state,
 * {@code GarbagePlanner} pure, the controller edge.
 */
package io.sluice.controllers.garbage;
