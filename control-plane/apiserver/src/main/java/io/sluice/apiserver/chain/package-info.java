/**
 * Each request's way: authenticate, limit, authorize, route; and from refusals and faults to answers. Edge. May import every package of
 * this module but {@code bootstrap}.
 */
package io.sluice.apiserver.chain;
