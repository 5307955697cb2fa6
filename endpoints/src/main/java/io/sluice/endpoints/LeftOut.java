package io.sluice.endpoints;

import io.sluice.api.net.IpAddress;

/**
 * An endpoint that gets no new connection, and why.
 *
 * @param node empty where unknown
 * @param target name of the pod behind it; empty where unknown
 * @param detail the values that led to the reason, for people
 */
public record LeftOut(
        IpAddress address, int port, String node, String target, Reason reason, String detail) {

    /** Why an endpoint is not a candidate. */
    public enum Reason {
        /** {@code ready} is false and it does not qualify as a terminating fallback. */
        NOT_READY,
        /** It is terminating and there are ready endpoints. */
        TERMINATING,
        /** It is terminating and does not serve any more. */
        TERMINATING_NOT_SERVING,
        /** A Local policy applies and it is on another node. */
        OTHER_NODE,
        /** Hints name other zones. */
        OTHER_ZONE,
        /** Hints name other nodes. */
        NOT_HINTED_NODE,
        /** Its slice is of another address family, or FQDN. */
        OTHER_FAMILY,
        /** Its slice has no port of this name and protocol. */
        NO_SUCH_PORT,
        /** Its slice carries the headless label. */
        HEADLESS
    }
}
