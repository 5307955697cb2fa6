/** What every part of Sluice says: objects, kinds, selectors, quantities. Pure. */
package io.sluice.api;
