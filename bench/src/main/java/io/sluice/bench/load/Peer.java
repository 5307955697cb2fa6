package io.sluice.bench.load;

import java.util.List;

/**
 * One way from client to server.
 *
 * @param name as the table shows it
 * @param httpPort where it takes HTTP connections
 * @param bulkPort where it takes large transfers
 * @param command starts it; empty for the direct way, which needs no process
 */
record Peer(String name, int httpPort, int bulkPort, List<String> command) {}
