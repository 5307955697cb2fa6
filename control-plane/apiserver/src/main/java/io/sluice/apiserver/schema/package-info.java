/**
 * One schema per kind drives field validation, pruning, defaulting, strategic merge, OpenAPI and {@code kubectl explain}. Pure. May import
 * {@code api} and Jackson.
 */
package io.sluice.apiserver.schema;
