/** Label and field selectors with the API's full grammar. Pure. May import {@code meta}, {@code object}. */
package io.sluice.api.selector;
