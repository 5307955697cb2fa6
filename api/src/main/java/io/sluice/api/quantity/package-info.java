/** Values with a text form of their own: quantities, times, durations. Pure. May import Jackson's tree. */
package io.sluice.api.quantity;
