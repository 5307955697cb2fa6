package io.sluice.apiserver.http;

import java.time.Duration;

/**
 * What one client, and all together, may take.
 *
 * @param connections open at a time; further ones are closed at once
 * @param bodyBytes of one request
 * @param bodyBytesTotal of all requests being read or answered
 * @param headerBytes of one request, names and values
 * @param handshake time for TLS
 * @param request time from a request's first byte to its last
 * @param idle time a connection may stay open between requests
 * @param writeStall how long a client may read nothing of an answer that waits
 */
public record HttpLimits(
        int connections,
        int bodyBytes,
        long bodyBytesTotal,
        int headerBytes,
        Duration handshake,
        Duration request,
        Duration idle,
        Duration writeStall) {

    public static HttpLimits defaults() {
        return new HttpLimits(
                20_000,
                3 * 1024 * 1024,
                96L * 1024 * 1024,
                64 * 1024,
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofMinutes(10),
                Duration.ofSeconds(60));
    }
}
