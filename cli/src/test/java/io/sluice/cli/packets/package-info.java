/**
 * The packet table, and what runs it: against the planners' programs, and with real packets in a lab of network namespaces.
 */
package io.sluice.cli.packets;
