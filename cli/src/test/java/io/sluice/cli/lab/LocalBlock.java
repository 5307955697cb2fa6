package io.sluice.cli.lab;

import io.sluice.api.net.IpAddress;

import java.io.IOException;
import java.util.List;

/**
 * Addresses of the documentation block 198.51.100.0/24 (RFC 5737) that are this machine's while a test runs; the rest of the block is
 * unreachable, so nothing leaves the machine. Needs root.
 */
public final class LocalBlock implements AutoCloseable {
    private final List<IpAddress> addresses;

    public LocalBlock(String... addresses) throws IOException {
        this.addresses = List.of(addresses).stream().map(IpAddress::of).toList();
        ip("route", "replace", "unreachable", "198.51.100.0/24");
        for (IpAddress address : this.addresses) {
            ip("route", "replace", "local", address + "/32", "dev", "lo", "table", "local");
        }
    }

    private static void ip(String... words) throws IOException {
        List<String> command = new java.util.ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(command + " failed; these tests need root");
        }
    }

    @Override
    public void close() throws IOException {
        for (IpAddress address : addresses) {
            ip("route", "del", "local", address + "/32", "dev", "lo", "table", "local");
        }
        ip("route", "del", "unreachable", "198.51.100.0/24");
    }
}
