/** A small HTTP server for health, metrics and debugging. Edge. Imports Netty alone. */
package io.sluice.dataplane.http;
