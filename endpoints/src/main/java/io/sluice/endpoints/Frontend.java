package io.sluice.endpoints;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

/**
 * Where clients knock.
 *
 * @param address the unspecified address of its family for node ports: any node-port address of this node
 */
public record Frontend(Kind kind, IpAddress address, int port, Protocol protocol) {
    private static final IpAddress ANY_V4 = new IpAddress(IpFamily.IPV4, 0, 0);
    private static final IpAddress ANY_V6 = new IpAddress(IpFamily.IPV6, 0, 0);

    /** The four kinds of address a Service has; the order decides who wins when two Services want one. */
    public enum Kind {
        CLUSTER_IP("cluster IP"),
        EXTERNAL_IP("external IP"),
        LOAD_BALANCER("load-balancer IP"),
        NODE_PORT("node port");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** For people. */
        public String text() {
            return text;
        }
    }

    /** What two frontends must not share. */
    public record Key(IpAddress address, int port, Protocol protocol) {
        @Override
        public String toString() {
            return address.withPort(port) + '/' + protocol.name().toLowerCase();
        }
    }

    public Key key() {
        return new Key(address, port, protocol);
    }

    static IpAddress any(IpFamily family) {
        return switch (family) {
            case IPV4 -> ANY_V4;
            case IPV6 -> ANY_V6;
        };
    }

    @Override
    public String toString() {
        return kind.text() + ' ' + key();
    }
}
