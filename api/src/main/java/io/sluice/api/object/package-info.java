/** Objects as JSON trees, and their two text forms. Pure. May import {@code meta} and Jackson. */
package io.sluice.api.object;
