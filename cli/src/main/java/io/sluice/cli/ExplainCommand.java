package io.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
            "  ./sluice explain '[fd00::1]:53/udp' -o json"
        })
final class ExplainCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ADDRESS:PORT[/udp]", description = "what a client would connect to")
    private String target;

    @Mixin
    private DebugOptions options;

    @Override
    public Integer call() throws Exception {
        System.out.print(options.client().explain(target, options.json()));
        return 0;
    }
}
