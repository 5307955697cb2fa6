/**
 * One schema per kind drives field validation, pruning, defaulting, strategic merge, OpenAPI and {@code kubectl explain}. Pure.
 */
package io.sluice.apiserver.schema;
