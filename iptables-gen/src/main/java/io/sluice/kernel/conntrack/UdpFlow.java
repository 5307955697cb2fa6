package io.sluice.kernel.conntrack;

import io.sluice.api.net.IpAddress;

/**
 * A UDP flow that the kernel follows.
 *
 * @param id the kernel's name for the entry; another flow with the same addresses has another
 * @param zone 0 for the usual one
 * @param client who sent the first datagram
 * @param to where the client sent it
 * @param answersFrom whose answers belong to the flow: the endpoint where the destination was changed
 */
public record UdpFlow(
        int id,
        int zone,
        IpAddress client,
        int clientPort,
        IpAddress to,
        int toPort,
        IpAddress answersFrom,
        int answersFromPort) {

    /** Whether rules sent it elsewhere than its client meant. */
    public boolean redirected() {
        return !to.equals(answersFrom) || toPort != answersFromPort;
    }

    @Override
    public String toString() {
        return client.withPort(clientPort) + " to " + to.withPort(toPort) + ", answered by "
                + answersFrom.withPort(answersFromPort);
    }
}
