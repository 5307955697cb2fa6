/**
 * Carries Service traffic in user space. Netty's epoll loops drive descriptors that belong to us: no channel, no pipeline, no heap on
 * the way of a byte. Edge. May import {@code kernel}, {@code endpoints}, {@code apply} and Netty.
 *
 * <p>One loop owns a connection with both its sockets, and nothing else touches it. What connections share is an immutable claim in a
 * volatile field, read when a connection is accepted.
 */
package io.sluice.dataplane.relay;
