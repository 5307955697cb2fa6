/** Values with a text form of their own: quantities, times, durations. Pure. */
package io.sluice.api.quantity;
