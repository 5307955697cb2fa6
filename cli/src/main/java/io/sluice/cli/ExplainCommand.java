package io.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.concurrent.Callable;

@Command(
        name = "explain",
        description = "Tells why an address and port answers, or does not.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./sluice explain 10.96.0.1:443",
            "  ./sluice explain 192.0.2.1:30080 --from outside",
            "  ./sluice explain '[fd00::1]:53/udp' -o json"
        })
final class ExplainCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ADDRESS:PORT[/udp]", description = "what a client would connect to")
    private String target;

    @Option(
            names = "--from",
            paramLabel = "WHO",
            description =
                    "follow a packet through the rules: from a pod, the node, outside, or an address")
    private String from;

    @Mixin
    private DebugOptions options;

    @Override
    public Integer call() throws Exception {
        System.out.print(
                options.client().explain(target, from == null ? "" : from, options.json()));
        return 0;
    }
}
