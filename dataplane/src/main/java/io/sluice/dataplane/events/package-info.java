/**
 * Tells people, through the API server, what the proxy met. Edge; one own thread. May import {@code api}.
 */
package io.sluice.dataplane.events;
