package io.sluice.dataplane.proxy;

import java.net.InetSocketAddress;

/** {@code host:port} to listen on. */
final class BindAddress {
    private BindAddress() {}

    /** For text that was checked before; IPv6 in brackets. */
    static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, colon).replaceAll("^\\[|]$", "");
        int port = Integer.parseInt(text.substring(colon + 1));
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }
}
