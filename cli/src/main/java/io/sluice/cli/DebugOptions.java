package io.sluice.cli;

import picocli.CommandLine.Option;

/** What all commands share that ask a running proxy. */
final class DebugOptions {
    @Option(
            names = "--metrics-address",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:10249",
            description = "metrics address of the proxy (default: ${DEFAULT-VALUE})")
    String metricsAddress;

    @Option(names = "-o", paramLabel = "FORMAT", description = "json")
    String output;

    boolean json() throws UsageException {
        if (output != null && !output.equals("json")) {
            throw new UsageException("-o " + output + ": the one format is json");
        }
        return output != null;
    }

    DebugClient client() {
        return new DebugClient(metricsAddress);
    }
}
