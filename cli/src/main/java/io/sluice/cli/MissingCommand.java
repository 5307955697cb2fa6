package io.sluice.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.util.concurrent.Callable;

/** A command that is planned and not there: says so, whatever it is given. */
final class MissingCommand implements Callable<Integer> {
    private final String name;

    private MissingCommand(String name) {
        this.name = name;
    }

    static CommandSpec spec(String name) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(new MissingCommand(name));
        spec.usageMessage().description("Not in this build yet.").hidden(true);
        spec.parser().unmatchedArgumentsAllowed(true).unmatchedOptionsArePositionalParams(true);
        spec.addPositional(PositionalParamSpec.builder()
                .arity("0..*")
                .type(String[].class)
                .hidden(true)
                .build());
        return spec;
    }

    @Override
    public Integer call() {
        System.err.println("sluice " + name + ": not in this build yet");
        return Main.NOT_IN_THIS_BUILD;
    }
}
