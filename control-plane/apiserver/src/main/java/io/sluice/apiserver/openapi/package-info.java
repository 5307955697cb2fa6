/**
 * The API described as OpenAPI, from the registry and its schemas: version 3 per group and version, version 2 as a whole. Pure, but for
 * a cache. May import {@code registry}, {@code schema} and Jackson.
 */
package io.sluice.apiserver.openapi;
