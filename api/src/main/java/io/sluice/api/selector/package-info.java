/** Label and field selectors with the API's full grammar. Pure. */
package io.sluice.api.selector;
