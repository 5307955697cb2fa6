package io.sluice.endpoints;

import io.sluice.api.model.Endpoint;
import io.sluice.api.net.IpAddress;

import java.util.List;

/** Builds an endpoint: ready, on {@code node-2}, without hints, unless said otherwise. */
final class AnEndpoint {
    private final IpAddress address;
    private boolean ready = true;
    private boolean serving = true;
    private boolean terminating;
    private String node = "node-2";
    private List<String> zoneHints = List.of();
    private List<String> nodeHints = List.of();
    private String pod = "";

    private AnEndpoint(String address) {
        this.address = IpAddress.of(address);
    }

    static AnEndpoint at(String address) {
        return new AnEndpoint(address);
    }

    AnEndpoint on(String nodeName) {
        node = nodeName;
        return this;
    }

    AnEndpoint pod(String name) {
        pod = name;
        return this;
    }

    AnEndpoint zones(String... names) {
        zoneHints = List.of(names);
        return this;
    }

    AnEndpoint nodes(String... names) {
        nodeHints = List.of(names);
        return this;
    }

    AnEndpoint conditions(boolean isReady, boolean isServing, boolean isTerminating) {
        ready = isReady;
        serving = isServing;
        terminating = isTerminating;
        return this;
    }

    AnEndpoint notReady() {
        return conditions(false, false, false);
    }

    /** Terminating, and still answering. */
    AnEndpoint leaving() {
        return conditions(false, true, true);
    }

    /** Terminating, and not answering any more. */
    AnEndpoint gone() {
        return conditions(false, false, true);
    }

    Endpoint build() {
        return new Endpoint(
                address, ready, serving, terminating, node, "", zoneHints, nodeHints, pod);
    }
}
