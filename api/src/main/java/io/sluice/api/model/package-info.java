/**
 * Compact records of the objects a proxy reads in great number, decoded by streaming from JSON: no trees, no maps. Pure. May import
 * {@code net}, {@code meta}, {@code quantity} and {@code object}.
 */
package io.sluice.api.model;
