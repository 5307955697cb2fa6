package io.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/** What a proxy wants in the kernel. */
@Command(
        name = "rules",
        description =
                "Prints the rules as the proxy wants them in the kernel, or what differs there.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./sluice rules",
            "  ./sluice rules --mode nftables",
            "  ./sluice rules --diff",
            "",
            "With --diff, lines with - are missing in the kernel, lines with + are too many; exit code 1 if there are any."
        })
final class RulesCommand implements Callable<Integer> {
    @Mixin
    private DebugOptions options;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description = "of another mode than the one that runs")
    private String mode;

    @Option(names = "--diff", description = "compare with the kernel")
    private boolean diff;

    @Override
    public Integer call() throws Exception {
        if (options.json()) {
            throw new UsageException("-o json: rules are text");
        }
        String query = mode == null
                ? "?"
                : "?mode=" + URLEncoder.encode(mode, StandardCharsets.UTF_8) + '&';
        String answer = options.client().get("/debug/rules" + query + (diff ? "diff=true" : ""));
        System.out.print(answer);
        return diff && !answer.isEmpty() ? Main.FAILURE : 0;
    }
}
