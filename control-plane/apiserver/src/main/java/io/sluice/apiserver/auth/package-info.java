/**
 * Who asks, and what they may do. Pure, but for the memory of certificates already checked. May import {@code pki} and {@code http}'s
 * request head.
 */
package io.sluice.apiserver.auth;
