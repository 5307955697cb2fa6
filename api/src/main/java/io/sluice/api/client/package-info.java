/** The way to the API server: list, watch, write over TLS. Edge. May import all of {@code api}, Jackson and Netty. */
package io.sluice.api.client;
