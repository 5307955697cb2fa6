package io.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;

/** {@code sluice}: parses the command line and turns whatever happens into an exit code and one clear line. */
@Command(
        name = "sluice",
        description = "Carries Kubernetes Service traffic, and brings its own control plane.",
        subcommands = {
            UpCommand.class,
            DemoCommand.class,
            ApiServerCommand.class,
            ControllersCommand.class,
            ExplainCommand.class,
            StatusCommand.class,
            ImageCommand.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class Main implements Runnable {
    static final int FAILURE = 1;
    static final int USAGE = 2;
    static final int NOT_IN_THIS_BUILD = 3;

    @picocli.CommandLine.Spec
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        Logging.configure(args);
        int code = commandLine().execute(args);
        System.out.flush();
        // Daemon threads of the parts must not keep a failed command alive.
        System.exit(code);
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        line.addSubcommand("proxy", ProxyCommand.spec());
        for (String missing : new String[] {"scheduler", "node", "rules", "doctor", "dist"}) {
            line.addSubcommand(missing, MissingCommand.spec(missing));
        }
        line.setExecutionExceptionHandler(Main::onFailure);
        line.setParameterExceptionHandler(Main::onWrongUsage);
        line.setUsageHelpAutoWidth(true);
        return line;
    }

    private static int onFailure(
            Exception failure, CommandLine command, CommandLine.ParseResult result) {
        PrintWriter err = command.getErr();
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        err.println("sluice " + command.getCommandName() + ": " + message);
        if (Logging.isVerbose()) {
            failure.printStackTrace(err);
        }
        return failure instanceof UsageException ? USAGE : FAILURE;
    }

    private static int onWrongUsage(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        command.getErr()
                .println("sluice " + command.getCommandName() + ": " + failure.getMessage());
        command.getErr().println("see: ./sluice " + command.getCommandName() + " --help");
        return USAGE;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is needed");
    }
}
