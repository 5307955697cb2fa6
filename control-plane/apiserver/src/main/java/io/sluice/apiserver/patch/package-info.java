/**
 * The three ways to change an object in part: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386) and strategic merge patch. Pure: targets
 * are never changed, results are new trees. May import {@code schema} and Jackson.
 */
package io.sluice.apiserver.patch;
