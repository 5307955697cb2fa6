/**
 * Everything at paths that name no resource: what there is, which version, whether it is well, OpenAPI. Pure documents, made once; edge
 * where they are sent. May import {@code registry}, {@code openapi}, {@code http}, {@code rest}'s negotiation.
 */
package io.sluice.apiserver.discovery;
