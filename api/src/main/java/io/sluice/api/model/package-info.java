/**
 * Compact records of the objects a proxy reads in great number, decoded by streaming from JSON: no trees, no maps. Pure. May import
 * {@code net} and {@code meta}.
 */
package io.sluice.api.model;
